import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compareNames } from '../../lib/model/text.ts';
import { expand, fold } from '../../lib/nodeset.ts';
import { describeWith } from './debian.ts';

const SETS = 300;

/** The same numbers on every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const LITERALS = ['x', 'c', 's', '-', '.', 'node', '/dev/nvme', 'Encl ', 'a,b', '%', '-ib', '#', 'é', '٣', '[', 'bay (', '@', '*?!&^', ':'];

/** Names of a shape or two, with numbers of mixed padding, of which a random share is kept; and some names of any text. */
function randomNames(random: (below: number) => number): string[] {
  const names: string[] = [];
  const shapes = 1 + random(2);
  for (let shape = 0; shape < shapes; shape++) {
    const dims = 1 + random(4);
    const keep = [10, 40, 90, 99][random(4)] as number;
    const parts = Array.from({ length: dims + 1 }, (_, k) =>
      k === dims && random(2) ? '' : (LITERALS[random(LITERALS.length)] as string),
    );
    const ranges = parts.slice(1).map((_, k) => ({ from: [0, 1, 7, 98, 1000][random(5)] as number, size: 1 + random(k === 0 ? 14 : 5) }));
    const pads = ranges.map(() => [0, 0, 1, 2, 3, 6][random(6)] as number);
    const build = (name: string, k: number): void => {
      const range = ranges[k];
      if (!range) {
        if (random(100) < keep) names.push(name);
        return;
      }
      for (let n = range.from; n < range.from + range.size; n++) {
        // Now and then the same number without its zeros: another name.
        const pad = random(20) === 0 ? 0 : (pads[k] as number);
        build(`${name}${String(n).padStart(pad, '0')}${parts[k + 1]}`, k + 1);
      }
    };
    build(parts[0] as string, 0);
  }
  for (let i = random(6); i > 0; i--) {
    names.push(
      Array.from({ length: 1 + random(8) }, () => String.fromCharCode(random(4) === 0 ? random(0x3000) : 32 + random(95))).join(''),
    );
  }
  if (random(10) === 0) names.push('all', '', '-x', '9'.repeat(120), `n${'0'.repeat(20)}1`, '__proto__', '\ud800');
  return names.length > 0 ? names : ['lonely'];
}

/** Runs ClusterShell's own command again and again in one interpreter: 600 starts of Python would take minutes. */
const DRIVER = `
import io, json, sys
from ClusterShell.CLI.Nodeset import main
answers, stdin, stdout = [], sys.stdin, sys.stdout
for command, text in json.load(stdin):
    sys.argv, sys.stdin = ['nodeset', command, '-S', '\\\\n'], io.StringIO(text + '\\n')
    sys.stdout, sys.stderr = out, err = io.StringIO(), io.StringIO()
    try:
        main()
    except SystemExit as exit:
        answers.append({'status': exit.code, 'out': out.getvalue(), 'err': err.getvalue()})
json.dump(answers, stdout)
`;

interface Answer {
  status: number;
  out: string;
  err: string;
}

function execute(program: string, args: string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { maxBuffer: 2 ** 28, env: { LC_ALL: 'C.UTF-8' } }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(input);
  });
}

/** The set of one that each line is: names come out escaped as they went in. */
function namesOf(lines: string): string[] {
  return lines
    .trimEnd()
    .split('\n')
    .flatMap((name) => expand(name));
}

describeWith('ClusterShell reads our node sets as we do', { nodeset: 'clustershell' }, ({ nodeset }) => {
  async function ask(calls: [command: '-e' | '-f', set: string][]): Promise<Answer[]> {
    const interpreter = /^#!\s*(\S+)/.exec(readFileSync(nodeset, 'utf8'))?.[1] ?? 'python3';
    return JSON.parse(await execute(interpreter, ['-c', DRIVER], JSON.stringify(calls))) as Answer[];
  }

  it(`${SETS} random sets`, async () => {
    const samples = Array.from({ length: SETS }, (_, i) => randomNames(seeded(i)));
    const sets = samples.map((names, i) => fold(names, i % 5 === 0 ? { dims: 1 } : {}));
    const answers = await ask(
      sets.flatMap((set): ['-e' | '-f', string][] => [
        ['-e', set],
        ['-f', set],
      ]),
    );
    for (const [i, names] of samples.entries()) {
      const [expanded, folded] = answers.slice(2 * i) as [Answer, Answer];
      const want = [...new Set(names)].sort(compareNames);
      expect(expanded.err + folded.err, `set ${i}: ${sets[i]}`).toBe('');
      expect(expand(sets[i] as string), `set ${i}: ${sets[i]}`).toEqual(want);
      expect(namesOf(expanded.out).sort(compareNames), `set ${i}: ${sets[i]}`).toEqual(want);
      expect(expand(folded.out), `set ${i}: ${sets[i]}`).toEqual(want);
    }
  });

  it('a whole machine, by the command itself', async () => {
    const names = Array.from({ length: 12_000 }, (_, i) => `x${1000 + (i >> 8)}c${(i >> 5) & 7}s${(i >> 2) & 7}b${(i >> 1) & 1}n${i & 1}`);
    expect(namesOf(await execute(nodeset, ['-e', '-S', '\\n'], `${fold(names)}\n`)).sort(compareNames)).toEqual(names);
  });

  it('a set given as an argument, whatever it begins with', async () => {
    const names = ['-x1', '-x2', '@g', 'a b', 'all'];
    expect(namesOf(await execute(nodeset, ['-e', '-S', '\\n', fold(names)], '')).sort(compareNames)).toEqual(names);
  });

  it.each(['n[1-3', 'n[1]]', 'n[]', 'n[a-b]', 'n[1,]', 'n[1-2][3-4]', 'n[3-1]', 'n[01-100]', 'n[1-3/0]', 'n1,', 'n1,,n2'])(
    'both refuse %s',
    async (set) => {
      expect(() => expand(set)).toThrow('node set: ');
      const [answer] = await ask([['-e', set]]);
      expect(answer).toMatchObject({ status: 1, err: expect.stringContaining('rror') as string });
    },
  );

  it.each(['n[0-6/2]', 'n[00-09/3]', 'n[1,01,001]', 'n[1,3-4]', 'x[1-2]c[0-1],x3c0', '[1-3]', 'a%[20-21]b', 'n[5-5]', 'n0[0-3]'])(
    'both read %s',
    async (set) => {
      const [answer] = await ask([['-e', set]]);
      expect(namesOf(answer?.out ?? '').sort(compareNames)).toEqual(expand(set));
    },
  );
});
