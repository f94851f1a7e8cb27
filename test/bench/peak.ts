import { readFileSync } from 'node:fs';

/** The most memory that this process has held, bytes. `getrusage` would count what its parent held as well. */
export function peakMemory(): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
