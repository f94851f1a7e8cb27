import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Location } from '../../lib/config.ts';
import { bytesOf } from '../../lib/model/collector.ts';
import { readFiles } from '../../lib/readers/files.ts';
import type { Opened } from '../../lib/readers/reader.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hpc-observer-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function open(path: string[], shape: 'documents' | 'logs' = 'documents', more: object = {}): Opened | Promise<Opened> {
  const location = { ...Location.parse({ path, ...more }), roles: {} };
  return readFiles({ location, plan: { shape }, now: 0, options: {} });
}

describe('a document', () => {
  it('is read whole, however long', async () => {
    const text = Array.from({ length: 400_000 }, (_, i) => `line ${i}\n`).join('');
    writeFileSync(join(folder, 'long.txt'), text);
    const { inputs, coverage, problems } = await open([join(folder, 'long.txt')]);
    expect(problems).toEqual([]);
    expect(coverage).toMatchObject([{ name: 'long.txt', status: 'ok', bytes: text.length }]);
    const [input] = inputs;
    if (input === undefined) throw new Error('nothing was opened');
    expect(new TextDecoder().decode(await bytesOf(input))).toBe(text);
    // What is appended later is for the next run.
    appendFileSync(join(folder, 'long.txt'), 'more');
    expect((await bytesOf(input)).length).toBe(text.length);
  });

  it('that is empty, missing, too large or no file is told, each by its name', async () => {
    const place = mkdtempSync(join(folder, 'odd-'));
    writeFileSync(join(place, 'a.json'), '');
    writeFileSync(join(place, 'b.json'), '[1, 2, 3]');
    symlinkSync(join(place, 'nowhere'), join(place, 'c.json'));
    symlinkSync('/dev/null', join(place, 'd.json'));
    const { inputs, coverage } = await open([place, join(place, 'e.json')], 'documents', { max_input: 5 });
    expect(coverage.map(({ name, status }) => [name, status])).toEqual([
      ['a.json', 'empty'],
      ['b.json', 'too_large'],
      ['c.json', 'missing'],
      ['d.json', 'unreadable'],
      [join(place, 'e.json'), 'missing'],
    ]);
    expect(inputs.map((i) => i.name)).toEqual(['a.json']);
  });
});

describe('a log', () => {
  it('is read from any place on, up to where it ended when it was opened', async () => {
    const path = join(folder, 'console.n1');
    writeFileSync(path, 'one\ntwo\nthree\n');
    const { inputs } = await open([path], 'logs');
    appendFileSync(path, 'four\n');
    const pieces: Uint8Array[] = [];
    for await (const piece of inputs[0]?.bytes(4) ?? []) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('two\nthree\n');
  });
});
