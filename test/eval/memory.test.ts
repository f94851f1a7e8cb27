import { describe, expect, it } from 'vitest';
import { MemoryFolder } from '../../lib/eval/memory.ts';
import type { Opened } from '../../lib/readers/reader.ts';

const file = (path: string, text: string, mtime = 0) => ({ path, text: [text], mtime });

async function open(folder: MemoryFolder, path: string): Promise<Opened> {
  const location = { path: [path], roles: {}, max_input: 1e9 };
  return folder.reader({ location: location as never, plan: { shape: 'logs' }, now: 0, options: {} });
}

function read({ inputs }: Opened, from: number): string {
  const [first] = inputs;
  if (!first) return 'nothing was opened';
  return Buffer.concat([...(first.bytes(from) as Iterable<Uint8Array>)]).toString();
}

describe('a folder in memory', () => {
  it('is read from any offset, as far as it went when it was opened', async () => {
    const folder = new MemoryFolder();
    for (const text of ['abc', 'def', 'ghi']) folder.append(file('logs/one', text));
    const opened = await open(folder, 'logs');
    folder.append(file('logs/one', 'later'));
    expect([0, 2, 3, 7, 9].map((from) => read(opened, from))).toEqual(['abcdefghi', 'cdefghi', 'defghi', 'hi', '']);
    expect(opened.inputs).toMatchObject([{ name: 'one', size: 9 }]);
  });

  it('tells a file that was written anew from one that went on', async () => {
    const folder = new MemoryFolder();
    folder.put(file('a/one', 'x', 1000));
    const inode = async () => (await open(folder, 'a')).inputs[0]?.file?.inode;
    const first = await inode();
    folder.append(file('a/one', 'y'));
    expect(await inode()).toBe(first);
    folder.put(file('a/one', 'z'));
    expect(await inode()).not.toBe(first);
  });

  it('misses what is not there, and what was taken away', async () => {
    const folder = new MemoryFolder();
    folder.put(file('a/one', ''));
    expect((await open(folder, 'a')).coverage).toMatchObject([{ name: 'one', status: 'empty' }]);
    folder.clear('a/');
    expect(await open(folder, 'a')).toMatchObject({ inputs: [], coverage: [{ status: 'missing' }], problems: [{ effect: 'input' }] });
    expect(folder.paths()).toEqual([]);
  });
});
