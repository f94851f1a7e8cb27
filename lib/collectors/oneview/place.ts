import type { Place } from '../../model/condition.ts';
import { cleanName } from '../../model/text.ts';
import { placeOfXname } from '../../model/xname.ts';

/**
 * Where a resource stands as its name tells: an xname names rack, chassis, slot and board; OneView calls what stands in
 * an enclosure `0000A66101, bay 3`.
 */
export function placeOfName(name: string): Place | undefined {
  const xname = placeOfXname(name);
  if (xname) return xname;
  const comma = name.indexOf(', ');
  if (comma <= 0 || !/^(?:bay|interconnect|appliance bay|fan|power supply) \d{1,3}$/i.test(name.slice(comma + 2))) return undefined;
  const enclosure = cleanName(name.slice(0, comma));
  return enclosure === null ? undefined : { enclosure };
}
