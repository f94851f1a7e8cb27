import type { Json } from '../../model/json.ts';
import type { TolerantJson } from './tolerant-json.ts';

const HEAD = 'Resv ID: ';

/** Whether a text is what `pbs_rstat -f` prints: it has no JSON in any release (openpbs: src/cmds/pbs_rstat.c). */
export function isReservationList(content: string): boolean {
  const begin = content.slice(0, 1000).trimStart();
  return begin.startsWith(HEAD);
}

/** Members that hold the environment or people: they get no further than here. */
const DROPPED = /^(?:Variable_List|Reserve_Owner|Authorized_|Mail_Users|group_list|User_List)/;

/**
 * Parses `pbs_rstat -f`: a line `Resv ID: R1.server`, then lines `name = value` (resources as `Resource_List.ncpus = 4`),
 * then an empty line. Gives the same form as JSON would have, under the key that openpbs#2680 gives it.
 */
export function parseReservationList(content: string): TolerantJson {
  const records: { [key: string]: Json } = Object.create(null) as { [key: string]: Json };
  let fields: { [key: string]: Json } | null = null;
  let server: string | undefined;
  for (const line of content.split('\n')) {
    if (line.startsWith(HEAD)) {
      fields = Object.create(null) as { [key: string]: Json };
      records[line.slice(HEAD.length).trim()] = fields;
      continue;
    }
    const equals = line.indexOf(' = ');
    if (fields === null || equals < 1) continue;
    const name = line.slice(0, equals).trim();
    if (DROPPED.test(name)) continue;
    const value = line.slice(equals + 3).trimEnd();
    if (name === 'server') server ??= value;
    fields[name] = value;
  }
  return {
    value: { pbs_server: server ?? '', restrictions: records },
    repairs: [],
    rejected: { count: 0, names: new Set(), samples: [] },
    end: 'whole',
  };
}
