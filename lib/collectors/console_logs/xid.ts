import type { Severity } from '../../model/condition.ts';

/*
 * NVIDIA's Xid catalogue (https://docs.nvidia.com/deploy/xid-errors/): what each code asks for. Only the resolution
 * matters here; the texts of the driver itself go into the message.
 */
const RESET_OR_REPLACE = [46, 48, 54, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158];
const CHECK_HARDWARE = [61, 78, 81, 87, 122, 123, 124, 125, 142, 144, 145, 146, 147, 148, 149, 150, 151, 154, 171, 172];

const SEVERITIES = new Map<number, Severity>([
  ...RESET_OR_REPLACE.map((code) => [code, 'critical'] as const),
  ...CHECK_HARDWARE.map((code) => [code, 'warning'] as const),
  [54, 'warning'],
  [74, 'warning'],
  [92, 'warning'],
]);

/** What a code means: a fault of the hardware with its severity, or null for what an application causes. */
export function xidSeverity(code: number, text: string): Severity | null {
  const severity = SEVERITIES.get(code);
  if (severity === undefined) return null;
  // The NVLink 5 codes say themselves whether they are fatal.
  if (code >= 144 && code <= 150) return /\bnon-?fatal\b/i.test(text) ? 'warning' : /\bfatal\b/i.test(text) ? 'critical' : severity;
  return severity;
}

const NAMES = new Map<number, string>([
  [13, 'graphics engine exception'],
  [31, 'memory page fault'],
  [43, 'GPU stopped processing'],
  [45, 'preemptive cleanup'],
  [46, 'GPU stopped processing'],
  [48, 'double bit ECC error'],
  [54, 'auxiliary power'],
  [62, 'internal micro-controller halt'],
  [63, 'row remapping event'],
  [64, 'row remapping failed'],
  [74, 'NVLink error'],
  [79, 'fallen off the bus'],
  [92, 'high single bit ECC rate'],
  [94, 'contained ECC error'],
  [95, 'uncontained ECC error'],
  [109, 'context switch timeout'],
  [119, 'GSP RPC timeout'],
  [120, 'GSP error'],
  [140, 'unrecovered ECC error'],
  [143, 'GPU initialization error'],
]);

/** `Xid 79 (fallen off the bus)`. */
export function xidName(code: number): string {
  const name = NAMES.get(code);
  return name === undefined ? `Xid ${code}` : `Xid ${code} (${name})`;
}
