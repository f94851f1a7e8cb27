import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AuditLog, verifyAudit } from '../../lib/audit/audit.ts';
import { hashLine } from '../../lib/audit/parts.ts';
import type { AuditEntry, AuditLine } from '../../lib/model/audit.ts';
import { sha256Hex } from '../../lib/model/identity.ts';
import { canonicalJson, type Json } from '../../lib/model/json.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { Store } from '../../lib/store/store.ts';
import { NOW, watchedDriver } from '../store/examples.ts';

const DAY = 86_400_000;

function entry(args: Json = { node: 'x1000c0s0b0n0' }, rest: Partial<AuditEntry> = {}): AuditEntry {
  return {
    run: '20261130t084500.000z',
    turn: 1,
    callId: 'call_1',
    tool: 'get_node',
    args,
    argsHash: sha256Hex(canonicalJson(args)),
    resultHash: sha256Hex('null'),
    bytes: 4,
    ms: 2,
    decision: 'executed',
    ...rest,
  };
}

async function logOf(count: number): Promise<Store> {
  return (await storedLog(count)).store;
}

async function storedLog(count: number): Promise<{ store: Store; log: AuditLog }> {
  const store = new Store(memoryDriver());
  const log = new AuditLog(store, { writer: 'tick', now: () => NOW });
  for (let i = 0; i < count; i++) await log.append(entry({ i }, i % 2 === 0 ? {} : { decision: { refused: 'no such node' } }));
  return { store, log };
}

const PART = 'audit/2026-11-30/tick/000000000000';

async function linesOf(store: Store, key = PART): Promise<string[]> {
  return ((await store.getText(key)) ?? '').trimEnd().split('\n');
}

async function setLines(store: Store, lines: string[], key = PART): Promise<void> {
  await store.putText(key, lines.map((line) => `${line}\n`).join(''));
}

async function faultsOf(store: Store): Promise<string[]> {
  return (await verifyAudit(store)).faults.map(({ key, line, what }) => `${key}:${line} ${what}`);
}

describe('the audit log', () => {
  it('holds what was appended, in order, each line with the hash of the one before', async () => {
    const store = new Store(memoryDriver());
    const log = new AuditLog(store, { writer: 'tick', now: () => NOW });
    expect(log.head()).toBe('0'.repeat(64));
    await Promise.all([0, 1, 2].map((i) => log.append(entry({ i }))));
    const lines = (await linesOf(store)).map((line) => JSON.parse(line) as AuditLine);
    expect(lines.map(({ seq, args }) => [seq, args])).toEqual([0, 1, 2].map((i) => [i, { i }]));
    expect(lines[0]).toEqual({
      ...entry({ i: 0 }),
      seq: 0,
      at: '2026-11-30T08:45:00.000Z',
      writer: 'tick',
      prevHash: '0'.repeat(64),
      hash: lines[0]?.hash,
    });
    expect(lines.map(({ prevHash }) => prevHash).slice(1)).toEqual(lines.map(({ hash }) => hash).slice(0, 2));
    expect(log.head()).toBe(lines[2]?.hash);
    expect(await verifyAudit(store)).toEqual({ entries: 3, parts: 1, faults: [] });
  });

  it('goes on where the last process of its name stopped', async () => {
    const store = await logOf(2);
    const log = new AuditLog(store, { writer: 'tick', now: () => NOW });
    await log.append(entry());
    expect(await linesOf(store)).toHaveLength(3);
    expect(await faultsOf(store)).toEqual([]);
  });

  it('begins a part each day and after 500 lines, and links them', { timeout: 30_000 }, async () => {
    const store = new Store(memoryDriver());
    let now = NOW;
    const log = new AuditLog(store, { writer: 'a/B', now: () => now });
    for (let i = 0; i < 501; i++) await log.append(entry({ i }));
    now += DAY;
    await log.append(entry());
    now -= DAY;
    await log.append(entry());
    const keys = await store.list('audit');
    const writer = 'a_2f_42';
    expect(keys).toEqual([
      `audit/2026-11-30/${writer}/000000000000`,
      `audit/2026-11-30/${writer}/000000000500`,
      `audit/2026-11-30/${writer}/000000000502`,
      `audit/2026-12-01/${writer}/000000000501`,
      `audit/heads/${writer}`,
    ]);
    expect(await verifyAudit(store)).toEqual({ entries: 503, parts: 4, faults: [] });
  });

  it('keeps writers apart', async () => {
    const store = await logOf(2);
    await new AuditLog(store, { writer: 'Tick', now: () => NOW }).append(entry());
    await new AuditLog(store, { writer: 'tick/x', now: () => NOW }).append(entry());
    expect(await verifyAudit(store)).toEqual({ entries: 4, parts: 3, faults: [] });
  });

  it('takes any arguments: line breaks and forged lines stay inside theirs', async () => {
    const forged = `x\n${(await linesOf(await logOf(1)))[0]}\n`;
    const hostile: Json[] = [
      forged,
      { [forged]: [forged] },
      '\u2028\u2029\r\n\0',
      JSON.parse('{"__proto__": {"hash": "x"}, "constructor": 1}') as Json,
      '\ud800',
      null,
    ];
    const store = new Store(memoryDriver());
    const log = new AuditLog(store, { writer: 'tick', now: () => NOW });
    for (const args of hostile) await log.append(entry(args));
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (args) => log.append(entry(args as Json))),
      { numRuns: 50 },
    );
    expect(await verifyAudit(store)).toEqual({ entries: hostile.length + 50, parts: 1, faults: [] });
    expect((JSON.parse((await linesOf(store))[0] as string) as AuditLine).args).toBe(forged);
  });

  it('cuts long arguments, whose hash stays that of the whole', async () => {
    const store = new Store(memoryDriver());
    const args = { text: 'x'.repeat(5_000_000) };
    await new AuditLog(store, { writer: 'tick', now: () => NOW }).append(entry(args));
    const [line = ''] = await linesOf(store);
    expect(line.length).toBeLessThan(6000);
    expect(JSON.parse(line)).toMatchObject({ args: expect.stringContaining('…(+') as string, argsHash: sha256Hex(canonicalJson(args)) });
    expect(await faultsOf(store)).toEqual([]);
  });

  it('lets an append that fails be known to its caller, and goes on with the next', async () => {
    const watched = watchedDriver();
    const store = new Store(watched.driver);
    const log = new AuditLog(store, { writer: 'tick', now: () => NOW });
    await log.append(entry());
    watched.before.write = () => {
      delete watched.before.write;
      throw new Error('ENOSPC');
    };
    const [failed, next] = await Promise.allSettled([log.append(entry()), log.append(entry())]);
    expect([failed.status, next.status]).toEqual(['rejected', 'fulfilled']);
    expect(await verifyAudit(store)).toEqual({ entries: 2, parts: 1, faults: [] });
  });

  it('that is killed between a line and the head goes on after that line', { timeout: 30_000 }, async () => {
    for (const lines of [1, 500, 501]) {
      const watched = watchedDriver();
      const store = new Store(watched.driver);
      const log = new AuditLog(store, { writer: 'tick', now: () => NOW });
      for (let i = 1; i < lines; i++) await log.append(entry());
      watched.before.write = (key) => {
        if (key.startsWith('audit/heads/')) throw new Error('killed');
      };
      await expect(log.append(entry())).rejects.toThrow('killed');
      delete watched.before.write;
      expect(await verifyAudit(store)).toMatchObject({ entries: lines, faults: [] });
      await new AuditLog(store, { writer: 'tick', now: () => NOW }).append(entry());
      expect(await verifyAudit(store)).toMatchObject({ entries: lines + 1, faults: [] });
    }
  });
});

describe('verification tells', () => {
  const other: Record<keyof AuditLine, Json> = {
    run: '20261130t084500.001z',
    turn: 2,
    callId: 'call_2',
    tool: 'get_summary',
    args: { i: 3 },
    argsHash: '1'.repeat(64),
    resultHash: '1'.repeat(64),
    bytes: 5,
    ms: 3,
    decision: { refused: 'because' },
    seq: 7,
    at: '2026-11-30T08:45:00.001Z',
    writer: 'Tick',
    prevHash: '1'.repeat(64),
    hash: '1'.repeat(64),
  };
  const fields = Object.keys(other) as (keyof AuditLine)[];

  it.each(fields)('that the field %s was changed, in whichever line', async (field) => {
    for (const at of [0, 2, 4]) {
      const store = await logOf(5);
      const lines = await linesOf(store);
      const line = JSON.parse(lines[at] as string) as Record<string, Json>;
      line[field] = other[field];
      lines[at] = canonicalJson(line);
      await setLines(store, lines);
      expect((await verifyAudit(store)).faults).toContainEqual(expect.objectContaining({ key: PART, line: at + 1 }));
    }
  });

  it.each(fields)('that the field %s was changed and its line hashed anew', async (field) => {
    for (const at of [0, 2, 4]) {
      const store = await logOf(5);
      const lines = await linesOf(store);
      const line = JSON.parse(lines[at] as string) as Record<string, Json>;
      line[field] = other[field];
      if (field !== 'hash') line['hash'] = hashLine(line);
      lines[at] = canonicalJson(line);
      await setLines(store, lines);
      expect(await faultsOf(store)).not.toEqual([]);
    }
  });

  it.each(fields)('that the field %s was taken out or put in', async (field) => {
    const store = await logOf(3);
    const lines = await linesOf(store);
    const line = JSON.parse(lines[1] as string) as Record<string, Json>;
    delete line[field];
    lines[1] = canonicalJson(line);
    await setLines(store, lines);
    expect((await verifyAudit(store)).faults).toContainEqual(expect.objectContaining({ line: 2 }));
  });

  const edits: [string, (lines: string[]) => string[]][] = [
    ['a line was removed at the start', (l) => l.slice(1)],
    ['a line was removed in the middle', (l) => l.filter((_, i) => i !== 2)],
    ['the last line was cut off', (l) => l.slice(0, -1)],
    ['a line was doubled', (l) => l.flatMap((line, i) => (i === 2 ? [line, line] : [line]))],
    ['two lines changed places', ([a, b, ...rest]) => [b as string, a as string, ...rest]],
    ['a line was written in another form', ([a, ...rest]) => [(a as string).replace(':', ': '), ...rest]],
    ['a member was put in twice', ([a, ...rest]) => [(a as string).replace('{"args"', '{"args":{"i":1},"args"'), ...rest]],
    ['a member was added', ([a, ...rest]) => [(a as string).replace('{"args"', '{"a":1,"args"'), ...rest]],
    ['a line is no JSON', ([, ...rest]) => ['garbage', ...rest]],
    ['an empty line was put in', ([a, ...rest]) => [a as string, '', ...rest]],
    ['the part was emptied', () => []],
  ];
  it.each(edits)('that %s', async (_, edit) => {
    const store = await logOf(5);
    await setLines(store, edit(await linesOf(store)));
    expect(await faultsOf(store)).not.toEqual([]);
  });

  it('that the last line is torn', async () => {
    const store = await logOf(2);
    await store.putText(PART, ((await store.getText(PART)) ?? '').slice(0, -1));
    expect(await faultsOf(store)).toEqual([`${PART}:2 the last line has no end`]);
  });

  it('that a part was removed, first, middle or last', async () => {
    for (const day of [0, 1, 2]) {
      const store = new Store(memoryDriver());
      let now = NOW;
      const log = new AuditLog(store, { writer: 'tick', now: () => now });
      for (let i = 0; i < 3; i++) {
        await log.append(entry());
        await log.append(entry());
        now += DAY;
      }
      const parts = (await store.list('audit')).filter((key) => !key.includes('heads'));
      expect(await faultsOf(store)).toEqual([]);
      await store.remove(parts[day] as string);
      expect(await faultsOf(store)).not.toEqual([]);
    }
  });

  it('that a part was moved to another day, another writer or another number', async () => {
    for (const key of [
      'audit/2026-11-29/tick/000000000000',
      'audit/2026-11-30/other/000000000000',
      'audit/2026-11-30/tick/000000000001',
      'audit/2026-11-30/tick.old',
    ]) {
      const store = await logOf(1);
      await store.putText(key, (await store.getText(PART)) ?? '');
      await store.remove(PART);
      expect(await faultsOf(store)).toContainEqual(expect.stringContaining(key));
    }
  });

  it('that the head was removed, damaged or set back', async () => {
    const head = 'audit/heads/tick';
    const removed = await logOf(3);
    await removed.remove(head);
    expect(await faultsOf(removed)).toEqual([`${head}:0 is gone: the log's end cannot be vouched for`]);
    const damaged = await logOf(3);
    await damaged.putText(head, '{}');
    expect(await faultsOf(damaged)).toHaveLength(1);
    const forged = await logOf(3);
    await forged.put(head, { seq: 1, hash: '1'.repeat(64), part: PART });
    expect(await faultsOf(forged)).toHaveLength(1);
  });

  it('that a log was made up anew, where a report vouches for the old one', async () => {
    const store = await logOf(3);
    const hash = (JSON.parse((await linesOf(store))[1] as string) as AuditLine).hash;
    const vouched = [
      { hash, by: 'report 1' },
      { hash: '0'.repeat(64), by: 'report 2, whose tick called no tool' },
    ];
    expect(await verifyAudit(store, vouched)).toMatchObject({ faults: [] });
    const madeUp = new Store(memoryDriver());
    await new AuditLog(madeUp, { writer: 'tick', now: () => NOW }).append(entry());
    expect((await verifyAudit(madeUp, vouched)).faults).toEqual([
      { key: 'report 1', line: 0, what: `vouches for line ${hash}, which is not in the log` },
    ]);
  });

  it('that a line is missing from a log that was hashed anew, head and all', async () => {
    const store = await logOf(4);
    let prevHash = '0'.repeat(64);
    const lines = (await linesOf(store))
      .filter((_, i) => i !== 1)
      .map((text) => {
        const line: Record<string, Json> = { ...(JSON.parse(text) as Record<string, Json>), prevHash };
        prevHash = hashLine(line);
        return canonicalJson({ ...line, hash: prevHash });
      });
    await setLines(store, lines);
    await store.put('audit/heads/tick', { seq: 3, hash: prevHash, part: PART });
    expect(await faultsOf(store)).toEqual([`${PART}:2 is number 2 where 1 was due: lines are missing or out of place`]);
  });

  it('that all lines are gone while the head remains', async () => {
    const store = await logOf(3);
    await store.remove(PART);
    expect(await faultsOf(store)).toEqual(['audit/heads/tick:0 line 2 of the writer is gone or is not the one that was written']);
  });
});

describe('after tampering the log goes on, and the fault stays to be seen', () => {
  const damages: [string, (store: Store) => Promise<void>][] = [
    ['the last line', async (store) => store.putText(PART, `${((await store.getText(PART)) ?? '').slice(0, -9)}\n`)],
    ['the whole part', async (store) => store.putText(PART, 'garbage')],
    ['the part, removed', async (store) => store.remove(PART)],
    ['the tail, cut off', async (store) => setLines(store, (await linesOf(store)).slice(0, 1))],
    ['the head', async (store) => store.putText('audit/heads/tick', 'garbage')],
    [
      'the head and the part',
      async (store) => {
        await store.putText('audit/heads/tick', 'garbage');
        await store.putText(PART, 'garbage');
      },
    ],
  ];
  const cases = damages.flatMap(([what, damage]) => [true, false].map((isAnew) => ({ what, damage, isAnew })));
  it.each(cases)('$what, opened anew: $isAnew', async ({ what, damage, isAnew }) => {
    const { store, log: writing } = await storedLog(3);
    await damage(store);
    const before = await verifyAudit(store);
    const untouched = await store.getText(PART);
    const log = isAnew ? new AuditLog(store, { writer: 'tick', now: () => NOW }) : writing;
    await log.append(entry({ i: 'after' }));
    await log.append(entry({ i: 'after' }));
    const keys = await store.list('audit/2026-11-30');
    const texts = await Promise.all(keys.map((key) => store.getText(key)));
    expect(texts.join('').match(/"after"/g)).toHaveLength(2);
    expect((await store.getText(PART)) ?? '').toContain(untouched ?? '');
    expect(before.faults).not.toEqual([]);
    // A head alone can be made again from the lines.
    expect((await verifyAudit(store)).faults.length > 0).toBe(what !== 'the head');
  });
});
