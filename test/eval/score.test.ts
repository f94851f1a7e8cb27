import { describe, expect, it } from 'vitest';
import { boardOf } from '../../lib/eval/board.ts';
import { brokenGates } from '../../lib/eval/gates.ts';
import { pictureOf } from '../../lib/eval/picture.ts';
import { type Asked, Played } from '../../lib/eval/played.ts';
import { averagePrecision } from '../../lib/eval/recorder.ts';
import { floorRecall, scoresOf } from '../../lib/eval/score.ts';

const NOTHING: Asked = {
  status: 'none',
  named: 0,
  stories: 0,
  pairs: { same: 0, linked: 0, both: 0 },
  claims: 0,
  verified: 0,
  dropped: 0,
  obeyed: false,
  floorSame: true,
  turns: 0,
  calls: 0,
  refused: 0,
  tokensIn: 0,
  tokensOut: 0,
  ms: 0,
};

function played(name: string, more: Partial<Played> = {}): Played {
  return {
    schema: 'hpc-observer/played/1',
    name,
    class: name.split('/')[0] as Played['class'],
    seed: 1,
    sha256: '',
    faults: [],
    looks: 11,
    shown: [],
    falseAlarms: [],
    open: 0,
    identity: { things: 0, split: 0, merged: 0 },
    evidence: { refs: 0, held: 0 },
    averagePrecision: null,
    places: { groups: 0, right: 0 },
    busyMs: 0,
    asked: { floor: [NOTHING] },
    ...more,
  };
}

const shown = (due: number, seen: number, more: Partial<Played['shown'][number]> = {}): Played['shown'][number] => ({
  key: 'k node n',
  since: 2,
  first: 3,
  due,
  seen,
  severity: null,
  falselyResolved: 0,
  ...more,
});

describe('the deterministic report', () => {
  // Two scenarios: of one 5 + 5 of 10 looks, of the other 3 of 4.
  const two = [
    played('gpu/0', {
      shown: [shown(5, 5, { severity: true }), shown(5, 5, { first: 5, severity: false })],
      open: 10,
      identity: { things: 2, split: 0, merged: 0 },
      averagePrecision: 1,
      asked: { floor: [{ ...NOTHING, pairs: { same: 3, linked: 2, both: 1 } }] },
    }),
    played('gpu/1', {
      shown: [shown(4, 3, { falselyResolved: 1 })],
      open: 5,
      falseAlarms: [{ look: 4, what: 'k node other', severity: 'warning' }],
      identity: { things: 2, split: 1, merged: 0 },
      averagePrecision: 0,
    }),
  ];
  const [gpu] = scoresOf(two).floor;

  it('is scored over looks, scenarios, and findings', () => {
    expect(gpu).toMatchObject({
      class: 'gpu',
      scenarios: 2,
      complete: { right: 1, of: 2 },
      recall: { right: 13, of: 14 },
      precision: { right: 14, of: 15 },
      severity: { right: 1, of: 2 },
      grouping: { recall: { right: 1, of: 3 }, precision: { right: 1, of: 2 } },
      averagePrecision: 0.5,
      identity: { right: 3, of: 4 },
      falselyResolved: 1,
      delay: { median: 1, worst: 3 },
    });
  });

  it('has to see everything but in the judgment class, and nothing on healthy days', () => {
    const judgment = played('judgment/0', { shown: [shown(4, 0)] });
    const noisy = { look: 1, what: 'oom node n', severity: 'warning' };
    const day = played('healthy/0', { looks: 24, falseAlarms: [noisy, { ...noisy, look: 2 }] });
    expect(floorRecall([...two, judgment, day])).toMatchObject({ complete: { right: 1, of: 2 }, recall: { right: 13, of: 14 } });
    expect(scoresOf([day, played('healthy/1')]).quiet).toMatchObject({ days: 2, falseAlarms: 1, unquiet: { right: 1, of: 2 } });
    expect(brokenGates([two[0] as Played, judgment])).toEqual([]);
    expect(brokenGates([...two, day])).toEqual([
      'not everything was seen in 1 of 2 scenarios: gpu/1',
      '1 false alarms in 1 healthy days',
      'called resolved while it lasted: gpu/1',
    ]);
  });

  it('counts a scenario once, however often it is in the file', () => {
    expect(scoresOf([...two, ...two]).scenarios).toBe(2);
  });
});

describe('a model', () => {
  const of = (name: string, floor: number, told: number[], more: Partial<Asked> = {}): Played =>
    played(name, {
      asked: {
        floor: [{ ...NOTHING, named: floor, stories: 2 }],
        some: told.map((named) => ({
          ...NOTHING,
          status: 'ok',
          named,
          stories: 2,
          claims: 4,
          verified: 3,
          tokensIn: 90,
          tokensOut: 10,
          ms: 20,
          ...more,
        })),
      },
    });

  it('is measured by what it adds to the floor of the same scenario', () => {
    const { models } = scoresOf([of('judgment/0', 0, [2, 2]), of('judgment/1', 1, [1, 1]), of('gpu/0', 2, [2, 0])]);
    expect(models.map((m) => [m.class, m.told.right, m.told.of, m.floor.right])).toEqual([
      ['gpu', 2, 4, 2],
      ['judgment', 6, 8, 1],
      ['all', 8, 12, 3],
    ]);
    // Half of two stories more in one scenario, nothing in the other; 1, 0 and −½ over all three.
    expect(models.map((m) => m.lift.mean)).toEqual([-0.5, 0.5, expect.closeTo(1 / 6, 10)]);
    expect(models[1]).toMatchObject({
      verified: { right: 12, of: 16 },
      tokens: 100,
      passAll: { k: 2, share: 0.5 },
      failed: { right: 0, of: 4 },
    });
  });

  it('may change nothing of the floor, and a liar may not be believed', () => {
    const liar = of('judgment/0', 0, [0]);
    liar.asked['liar'] = liar.asked['some'] as Asked[];
    expect(brokenGates([liar])).toEqual(['3 claims of the liar were believed']);
    expect(brokenGates([of('judgment/0', 0, [0], { floorSame: false })])).toEqual(['some has changed the deterministic part of a report']);
  });

  it('has its rows on the board and its bar in the picture', () => {
    const scores = scoresOf([of('judgment/0', 0, [2]), of('gpu/0', 2, [2])]);
    expect(boardOf(scores)).toContain('| some | judgment | 1 | 1.00 (1.00–1.00) | 0.00 | +1.00 (+1.00 to +1.00) | 3/4 |');
    expect(pictureOf(scores)).toMatch(/^<svg .*>some<.*<\/svg>\n$/s);
  });

  it('leaves lines that are read again', () => {
    const line = of('judgment/0', 0, [2]);
    expect(Played.parse(JSON.parse(JSON.stringify(line)))).toEqual(line);
  });
});

it('average precision at full recall counts what stands above the last right one', () => {
  const found = (id: string) => ({ kind: 'k', subject: { type: 'node', id } });
  const must = new Set(['k node a', '* b']);
  expect(averagePrecision(must, [found('a'), found('b'), found('c')])).toBe(1);
  // Right at ranks 1 and 3: (1/1 + 2/3) / 2.
  expect(averagePrecision(must, [found('a'), found('c'), found('b')])).toBeCloseTo(5 / 6, 10);
  expect(averagePrecision(must, [found('a')])).toBe(0);
  expect(averagePrecision(new Set(), [found('a')])).toBeNull();
});
