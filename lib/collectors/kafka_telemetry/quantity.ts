/** The physical quantity that a series measures; `other` where the name does not tell, `limit` for a device's own limits. */
export const QUANTITIES = [
  'temperature',
  'power',
  'energy',
  'voltage',
  'current',
  'fan',
  'flow',
  'pressure',
  'humidity',
  'leak',
  'frequency',
  'power_factor',
  'percent',
  'fabric',
  'limit',
  'other',
] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** A quantity, the unit that its values are kept in, and how a value on the wire becomes one in that unit. */
export interface Measure {
  quantity: Quantity;
  unit: string;
  scale: number;
  offset: number;
}

function measure(quantity: Quantity, unit: string, scale = 1, offset = 0): Measure {
  return { quantity, unit, scale, offset };
}

/** The last segment of a Cray `MessageId` → what it measures. There is no unit on the wire; these are the vendor's. */
const BY_MESSAGE = new Map<string, Measure>([
  ['temperature', measure('temperature', '°C')],
  ['voltage', measure('voltage', 'V')],
  ['power', measure('power', 'W')],
  ['current', measure('current', 'A')],
  ['energy', measure('energy', 'J')],
  ['rotational', measure('fan', 'rpm')],
  ['fan', measure('fan', 'rpm')],
  // Makers differ in the units of these two, and no message tells.
  ['pressure', measure('pressure', '')],
  ['liquidflow', measure('flow', '')],
  ['humidity', measure('humidity', '%')],
  ['frequency', measure('frequency', 'Hz')],
  ['powerfactor', measure('power_factor', '')],
  ['percent', measure('percent', '%')],
]);

const KWH = measure('energy', 'J', 3.6e6);

/**
 * What a Cray `MessageId` (`CrayTelemetry.Temperature`, `CrayFabricPerfTelemetry.IfHCInOctets`) measures.
 * @param pdu whether the sensor sits in a rack PDU: those report energy in kWh, copied unconverted by hms-hmcollector
 */
export function measureOfMessage(messageId: string, pdu: boolean): Measure {
  const last = messageId.slice(messageId.lastIndexOf('.') + 1).toLowerCase();
  if (messageId.startsWith('CrayFabric')) return measure('fabric', '');
  const known = BY_MESSAGE.get(last);
  if (known === undefined) return measure('other', '');
  return pdu && known.quantity === 'energy' ? KWH : known;
}

/** Spellings of units, in lower case without blanks and dots, → the unit that values are kept in. */
const BY_UNIT = new Map<string, Measure>([
  ...['c', '°c', 'cel', 'degc', 'celsius', 'degrees_c', 'degreesc', 'degreescelsius'].map(
    (u) => [u, measure('temperature', '°C')] as const,
  ),
  ...['f', '°f', 'degf', 'fahrenheit', '[degf]', 'degreesf'].map((u) => [u, measure('temperature', '°C', 5 / 9, -160 / 9)] as const),
  ...['k', 'kelvin'].map((u) => [u, measure('temperature', '°C', 1, -273.15)] as const),
  ...['w', 'watt', 'watts'].map((u) => [u, measure('power', 'W')] as const),
  ...['kw', 'kilowatts', 'kwatts'].map((u) => [u, measure('power', 'W', 1e3)] as const),
  ...['mw', 'milliwatts'].map((u) => [u, measure('power', 'W', 1e-3)] as const),
  ...['j', 'joule', 'joules'].map((u) => [u, measure('energy', 'J')] as const),
  ...['mj', 'millijoules'].map((u) => [u, measure('energy', 'J', 1e-3)] as const),
  ...['kj', 'kilojoules'].map((u) => [u, measure('energy', 'J', 1e3)] as const),
  ...['wh', 'watthours'].map((u) => [u, measure('energy', 'J', 3600)] as const),
  ...['kwh', 'kilowatthours'].map((u) => [u, KWH] as const),
  ...['v', 'volt', 'volts'].map((u) => [u, measure('voltage', 'V')] as const),
  ...['mv', 'millivolts'].map((u) => [u, measure('voltage', 'V', 1e-3)] as const),
  ...['a', 'amp', 'amps', 'ampere', 'amperes'].map((u) => [u, measure('current', 'A')] as const),
  ...['ma', 'milliamperes', 'milliamps'].map((u) => [u, measure('current', 'A', 1e-3)] as const),
  ...['rpm', 'r/min', '{rotation}/min'].map((u) => [u, measure('fan', 'rpm')] as const),
  ...['l/min', 'lpm', 'litersperminute'].map((u) => [u, measure('flow', 'l/min')] as const),
  ...['gpm', 'gal/min'].map((u) => [u, measure('flow', 'l/min', 3.785411784)] as const),
  ...['m3/h', 'm³/h'].map((u) => [u, measure('flow', 'l/min', 1000 / 60)] as const),
  ...['kpa', 'kilopascals'].map((u) => [u, measure('pressure', 'kPa')] as const),
  ...['pa', 'pascal', 'pascals'].map((u) => [u, measure('pressure', 'kPa', 1e-3)] as const),
  ...['bar', 'bars'].map((u) => [u, measure('pressure', 'kPa', 100)] as const),
  ...['psi', 'psig'].map((u) => [u, measure('pressure', 'kPa', 6.894757)] as const),
  ...['hz', 'hertz'].map((u) => [u, measure('frequency', 'Hz')] as const),
  ...['mhz', 'megahertz'].map((u) => [u, measure('frequency', 'Hz', 1e6)] as const),
  ...['ghz', 'gigahertz'].map((u) => [u, measure('frequency', 'Hz', 1e9)] as const),
]);
const PERCENT_UNITS = new Set(['%', 'percent', 'pct', '%rh', 'rh']);

/** Words of a name that settle what it measures, in the order in which they are asked. */
const BY_WORD: readonly (readonly [readonly string[], Measure])[] = [
  [['leak', 'leakage', 'leakdetect', 'leakdetected'], measure('leak', '')],
  [['temp', 'temps', 'temperature', 'temperatures', 'dewpoint'], measure('temperature', '°C')],
  [['humidity', 'rh'], measure('humidity', '%')],
  [['fan', 'fans', 'tach', 'rotational'], measure('fan', 'rpm')],
  [['flow', 'flowrate', 'liquidflow'], measure('flow', '')],
  [['voltage', 'vin', 'vout'], measure('voltage', 'V')],
  [['energy'], measure('energy', 'J')],
  [['power'], measure('power', 'W')],
  [['pressure'], measure('pressure', '')],
  [['frequency', 'freq'], measure('frequency', 'Hz')],
];

/** Names with one of these words count or state something about a quantity, and do not measure it. */
const NOT_A_MEASURE = new Set(
  'total count seconds bytes info state status alarm fault online present enabled type label hours cycles errors beep speedstep factor file files table tables size queue requests connections packets capacity'.split(
    ' ',
  ),
);
/** A device's own limits come as series beside the reading; a limit is never too hot. */
const A_LIMIT = new Set(
  'max min crit critical lcrit emergency hyst threshold limit cap slowdown shutdown rated margin target setpoint'.split(' '),
);

/**
 * A metric's or sensor's name as lower-case words: `node_hwmon_temp_celsius`, `BB Inlet Temp`, `T2_IT_Supply_Temperature`,
 * `fanSpeed`. A lone small letter belongs to what follows, as in `kWatts`.
 */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, 256)
    .replaceAll(/(?<=[A-Za-z][a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** Units that stand as words in names; shorter ones mean too much else. */
const NAMED_UNITS = new Set(
  'celsius fahrenheit kelvin watt watts kw kilowatts kwatts milliwatts joule joules kilojoules kwh volt volts millivolts ampere amperes rpm lpm gpm pascals kpa hertz megahertz'.split(
    ' ',
  ),
);

/** What a unit alone says; undefined for one that is not known. `%` says nothing without a name. */
function measureOfUnit(unit: string): Measure | undefined {
  return BY_UNIT.get(unit.toLowerCase().replaceAll(/[\s.]/g, ''));
}

/** What a metric measures, by its unit where one is given, else by the words of its name. */
export function measureOfName(name: string, unit = ''): Measure {
  const words = wordsOf(name);
  const limit = words.some((word) => A_LIMIT.has(word));
  const percent = PERCENT_UNITS.has(unit.toLowerCase().trim()) || words.includes('percent') || words.includes('pct');
  const given = unit === '' ? words.filter((word) => NAMED_UNITS.has(word)).map(measureOfUnit)[0] : measureOfUnit(unit);
  const named = words.some((word) => NOT_A_MEASURE.has(word))
    ? undefined
    : BY_WORD.find(([asked]) => words.some((word) => asked.includes(word)))?.[1];
  const found = given ?? (percent && named?.quantity !== 'humidity' ? measure(named?.quantity === 'fan' ? 'fan' : 'percent', '%') : named);
  if (found === undefined) return measure('other', unit.slice(0, 32));
  return limit ? measure('limit', found.unit, found.scale, found.offset) : found;
}

/** Whether values of a name only ever grow: interface counters by RFC 3635, energies, and names that end in `_total`. */
export function isCounterName(name: string, quantity: Quantity): boolean {
  return quantity === 'energy' || name.endsWith('_total') || /^(?:If|Ether|Dot3)(?:HC)?(?:In|Out|Stats)/.test(name);
}
