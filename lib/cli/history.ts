import { History } from '../report/chronicle.ts';
import { historyText } from '../report/chronicle-text.ts';
import { EXIT, fetchJson, type Session } from './session.ts';

export interface HistoryFlags {
  ticks?: string;
  days?: string;
  source?: string;
  json: boolean;
}

/** `history [--ticks N] [--days N] [--source SOURCE]`: the last ticks, what moved in them, numbers over time. */
export async function historyCommand(session: Session, { ticks, days, source, json }: HistoryFlags): Promise<number> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ ticks, days, source })) if (value !== undefined) query.set(key, value);
  const answer = History.parse(await fetchJson(session, `/history?${query.toString()}`));
  session.out(json ? `${JSON.stringify(answer)}\n` : historyText(answer, { width: session.width }));
  return EXIT.done;
}
