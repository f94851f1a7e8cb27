import { readdirSync, readFileSync } from 'node:fs';
import { hpcmInventory } from '../../lib/collectors/hpcm_inventory/index.ts';
import { type Collected, type CollectContext, type Input, ReadError } from '../../lib/model/collector.ts';
import type { Json, JsonObject } from '../../lib/model/json.ts';

/** The clock of the bundled days. */
export const NOW = Date.parse('2026-11-30T08:45:00Z');
export const HOUR = 36e5;
export const DAY = 24 * HOUR;

export type Result = Collected<unknown>;

/** A document as text, bytes or JSON. */
export function input(name: string, content: Json | Uint8Array, more: Partial<Input> = {}): Input {
  const bytes =
    content instanceof Uint8Array ? content : new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
  return { name, size: bytes.length, bytes: () => [bytes], ...more };
}

/** A document that breaks while it is read. */
export function brokenInput(name: string, more: Partial<Input> = {}): Input {
  return {
    name,
    size: 10,
    bytes: () => {
      throw new ReadError('unreadable', name, 'could not be read (EIO)');
    },
    ...more,
  };
}

/** The files of a bundled day. */
export function fixtures(day: 'healthy' | 'faulty'): Input[] {
  const folder = new URL(`../../fixtures/democluster/${day}/hpcm/`, import.meta.url);
  return readdirSync(folder).map((name) => input(name, readFileSync(new URL(name, folder)), { mtime: '2026-11-30T08:40:00.000Z' }));
}

export function collect(
  inputs: Input[],
  extra: Partial<CollectContext<unknown, unknown>> & { options?: JsonObject } = {},
): Promise<Result> {
  const { options, carry, ...rest } = extra;
  return hpcmInventory.collect(inputs, {
    cluster: 'democluster',
    now: NOW,
    config: hpcmInventory.options.parse(options ?? {}),
    timezone: 'America/Denver',
    nodeDomains: ['hsn.cm.demo.test'],
    rules: {},
    // A carry goes through JSON and its schema between runs.
    ...(carry !== undefined && { carry: hpcmInventory.carry.parse(JSON.parse(JSON.stringify(carry))), carriedAt: NOW }),
    ...rest,
  });
}

/** One element of `/cmu/v1/nodes`; `over` replaces members. */
export function node(name: string, over: JsonObject = {}): JsonObject {
  return {
    name,
    aliases: {},
    uuid: 'not a uuid',
    modificationTime: '2026-11-20T03:10:44.000+00:00',
    deletionTime: null,
    image: { name: 'cos', kernel: '5.14' },
    management: { cardType: 'ILO', cardIpAddress: '0.0.0.0', password: 's3cret' },
    location: null,
    type: 'compute',
    templateName: 'cn',
    imagePending: false,
    rootFs: 'nfs',
    managed: true,
    inventory: null,
    ...over,
  };
}

/** `count` nodes in their places, `x1000c0s0b0n0` and so on; `over` changes single ones by index. */
export function nodes(count: number, over: Record<number, JsonObject> = {}): JsonObject[] {
  return Array.from({ length: count }, (_, i) => node(nodeName(i), over[i]));
}

export function nodeName(i: number): string {
  return `x${1000 + Math.floor(i / 256)}c${Math.floor(i / 32) % 8}s${Math.floor(i / 4) % 8}b${Math.floor(i / 2) % 2}n${i % 2}`;
}

export function imageGroup(name: string, over: JsonObject = {}): JsonObject {
  return { name, type: 'generic', kernels: ['5.14'], modificationTime: '2026-10-30T17:22:09.000+00:00', deletionTime: null, ...over };
}

/** Conditions as lines: severity, kind, subject, part. */
export function found(result: Result): string[] {
  return result.conditions
    .map((c) => {
      const severity = c.severity ?? hpcmInventory.kinds.find((k) => k.kind === c.kind)?.severity;
      return `${severity} ${c.kind} ${c.subject.type}:${c.subject.id}${c.part === undefined ? '' : ` ${c.part}`}`;
    })
    .sort();
}

/** Only those of the kinds named. */
export function ofKind(result: Result, ...kinds: string[]): string[] {
  return found(result).filter((line) => kinds.includes(line.split(' ')[1] as string));
}

export function messageOf(result: Result, kind: string, subject?: string): string | undefined {
  return result.conditions.find((c) => c.kind === kind && (subject === undefined || c.subject.id === subject))?.message;
}

export function factsOf(result: Result, id: string): JsonObject | undefined {
  return result.facts?.find((f) => f.subject.id === id)?.facts;
}

export function problems(result: Result, effect: 'input' | 'record' | 'note'): string[] {
  return result.coverage.problems
    .filter((p) => p.effect === effect)
    .map((p) => [p.input, p.place, p.message].filter((t) => t !== undefined).join(': '));
}
