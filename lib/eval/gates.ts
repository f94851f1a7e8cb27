import type { Played } from './played.ts';
import { floorRecall, scoresOf } from './score.ts';

/** What has to hold of every evaluation, whatever models took part; answers what does not. */
export function brokenGates(played: readonly Played[]): string[] {
  const { complete } = floorRecall(played);
  const { quiet, models } = scoresOf(played);
  const whole = models.filter((m) => m.class === 'all');
  const liar = whole.find((m) => m.model === 'liar');
  const blind = played.filter((p) => p.class !== 'judgment' && p.shown.some((s) => s.falselyResolved > 0));
  return [
    ...(complete.right < complete.of
      ? [`not everything was seen in ${complete.of - complete.right} of ${complete.of} scenarios: ${missed(played).join(', ')}`]
      : []),
    ...(quiet.falseAlarms > 0 ? [`${quiet.falseAlarms} false alarms in ${quiet.days} healthy days`] : []),
    ...(blind.length > 0 ? [`called resolved while it lasted: ${blind.map((p) => p.name).join(', ')}`] : []),
    ...whole.filter((m) => m.floorSame.right < m.floorSame.of).map((m) => `${m.model} has changed the deterministic part of a report`),
    ...(liar !== undefined && liar.verified.right > 0 ? [`${liar.verified.right} claims of the liar were believed`] : []),
  ];
}

function missed(played: readonly Played[]): string[] {
  return played.filter((p) => p.class !== 'judgment' && p.shown.some((s) => s.seen < s.due)).map((p) => p.name);
}
