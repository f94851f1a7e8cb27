import * as z from 'zod';
import { sha256Hex } from '../model/identity.ts';
import { canonicalJson } from '../model/json.ts';
import { encodeSegment } from '../store/store.ts';

/** The `prevHash` of a writer's first line. */
export const GENESIS = '0'.repeat(64);

/** A part that holds this many lines is full. */
export const PART_LINES = 500;

/** Where a writer's log ends, kept apart from it, so that lines cut off at its end are missed. */
export const Head = z.object({
  seq: z.number().int().nonnegative(),
  hash: z.string(),
  /** The part that holds the line. */
  part: z.string(),
});
export type Head = z.infer<typeof Head>;

export function headKey(writer: string): string {
  return `audit/heads/${encodeSegment(writer)}`;
}

/** The folder of a writer's parts of one day. */
export function dayKey(day: string, writer: string): string {
  return `audit/${day}/${encodeSegment(writer)}`;
}

/** A part is named by the number of its first line, so that a killed writer's successor finds the newest. */
export function partKey(day: string, writer: string, firstSeq: number): string {
  return `${dayKey(day, writer)}/${String(firstSeq).padStart(12, '0')}`;
}

/** The hash of a line: over everything in it but the hash itself. */
export function hashLine(line: Readonly<Record<string, unknown>>): string {
  const { hash: _, ...rest } = line;
  return sha256Hex(canonicalJson(rest));
}
