import { describe, expect, it } from 'vitest';
import { kinds } from '../lib/findings/kinds.ts';
import type { Subject } from '../lib/model/condition.ts';
import { atPointer } from '../lib/model/json.ts';
import { oneLine } from '../lib/model/text.ts';
import { findingsOf, head, type Story, tell, type Told } from './kinds/story.ts';
import { consoleStories } from './kinds/console.ts';
import { derivedStories } from './kinds/derived.ts';
import { hpcmStories } from './kinds/hpcm.ts';
import { telemetryStories } from './kinds/telemetry.ts';
import { oneviewStories } from './kinds/oneview.ts';
import { pbsStories } from './kinds/pbs.ts';
import { wekaStories } from './kinds/weka.ts';

const STORIES: readonly Story[] = [
  ...hpcmStories,
  ...wekaStories,
  ...consoleStories,
  ...telemetryStories,
  ...oneviewStories,
  ...pbsStories,
  ...derivedStories,
];
const ENTRIES = STORIES.flatMap((story) => story.shows.map((shown) => ({ ...shown, story })));

const told = new Map<Story, Promise<Told>>();
/** Tells each story once, however many kinds it shows. */
function once(story: Story): Promise<Told> {
  const known = told.get(story) ?? tell(story);
  told.set(story, known);
  return known;
}

/** What a message has to name: `weka07/drives0` as container drives0 on weka07; of the cluster itself the report tells. */
function namesOf({ type, id }: Subject): string[] {
  return type === 'cluster' ? [] : type === 'container' ? id.split('/') : [id];
}

describe('every kind occurs, from raw data to the report', { timeout: 60_000 }, () => {
  it('stands in the table, and nothing else does', () => {
    expect([...new Set(ENTRIES.map((e) => e.kind))].sort()).toEqual([...kinds.keys()].sort());
  });

  it.each(ENTRIES)('$kind', async ({ story, ...shown }) => {
    const result = await once(story);
    const findings = findingsOf(result, shown.kind);
    const expected = story.shows.filter((s) => s.kind === shown.kind).map(head);
    expect(findings.map(head).join('; ')).toBe(expected.join('; '));
    for (const finding of findings) {
      const [condition] = finding.conditions;
      const kind = kinds.get(shown.kind);
      expect(kind?.subjects).toContain(finding.subject.type);
      expect(condition?.severity).toBe(finding.severity);
      expect(finding.hint).toBe(kind?.hint);
      expect(finding.hint).not.toBe('');
      expect(condition?.message).toBe(oneLine(condition?.message ?? '', 600));
      for (const name of namesOf(finding.subject)) expect(condition?.message).toContain(name);
      expect(finding.evidence.length).toBeGreaterThan(0);
      for (const { ref } of finding.evidence) {
        const [snapshot = '', pointer = ''] = ref.split('#');
        expect(atPointer(result.snapshots.get(snapshot), pointer), ref).toBeDefined();
      }
    }
  });
});
