import type { Scores } from './score.ts';
import type { Share } from './stats.ts';

const WIDTH = 760;
const LABEL = 170;
const BAR = 420;
const ROW = 20;

interface Bar {
  label: string;
  share: Share;
  text: string;
}

/** The board as a picture: recall of the deterministic report by class, and what models tell beside it. */
export function pictureOf({ floor, models }: Scores): string {
  const recall = floor.map(
    (f): Bar => ({ label: f.class, share: f.recall, text: `${f.recall.right}/${f.recall.of} in ${f.scenarios} scenarios` }),
  );
  const told = models
    .filter((m) => m.class === 'judgment')
    .map((m): Bar => ({ label: m.model, share: m.told, text: `floor ${(m.floor.rate ?? 0).toFixed(2)}, ${m.told.right}/${m.told.of}` }));
  const parts = [
    ...chart('Recall of the deterministic report, by class of fault (95 % interval)', recall, 10),
    ...chart('Stories told in the judgment class, by model (95 % interval)', told, 60 + recall.length * ROW),
  ];
  const height = 110 + (recall.length + told.length) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}

function chart(title: string, bars: readonly Bar[], top: number): string[] {
  const x = (share: number): number => Math.round((LABEL + share * BAR) * 10) / 10;
  return [
    `<text x="10" y="${top + 14}" font-weight="bold">${escaped(title)}</text>`,
    ...bars.flatMap(({ label, share, text }, i) => {
      const y = top + 24 + i * ROW;
      const middle = y + 7;
      return [
        `<text x="${LABEL - 8}" y="${y + 11}" text-anchor="end">${escaped(label)}</text>`,
        `<rect x="${LABEL}" y="${y}" width="${BAR}" height="14" fill="#eee"/>`,
        `<rect x="${LABEL}" y="${y}" width="${Math.round((share.rate ?? 0) * BAR * 10) / 10}" height="14" fill="#4a7ebb"/>`,
        `<path d="M${x(share.low)} ${middle}H${x(share.high)}M${x(share.low)} ${middle - 4}v8M${x(share.high)} ${middle - 4}v8" stroke="#222" fill="none"/>`,
        `<text x="${LABEL + BAR + 8}" y="${y + 11}">${escaped(text)}</text>`,
      ];
    }),
  ];
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
