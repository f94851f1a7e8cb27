import * as z from 'zod';
import type { Report } from '../model/report.ts';
import { formatProblem } from './problem.ts';

/** The flags that all commands share, as the command line gives them. */
export interface CommonFlags {
  config?: string;
  demo?: 'faulty' | 'healthy';
  stateRoot?: string;
  reportRoot?: string;
  json?: boolean;
  /** ISO 8601: the clock stands there. */
  clock?: string;
  modelUrl?: string;
  modelName?: string;
  mock?: string;
  /** False for `--no-model`. */
  model?: boolean;
  /** False for `--no-notify`. */
  notify?: boolean;
}

/** What a command works with: the app, called in-process, and the two streams. */
export interface Session {
  /** Calls the app; a bearer token is added where one is configured. */
  request(path: string, init?: { method?: string; body?: string }): Promise<Response>;
  /** Sources in the order of the registry. */
  sources: readonly string[];
  out(text: string): void;
  err(text: string): void;
  /** Milliseconds since the epoch. */
  now(): number;
  colour: boolean;
  width: number;
}

/** Opens a session for a command and ends it afterwards; the entry knows how. */
export type WithSession = (flags: CommonFlags, work: (session: Session) => Promise<number>) => Promise<number>;

export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** The answer of the app was a problem: the command ends with the status given and these lines on stderr. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
  readonly status: number;
  constructor(message: string, status: number = EXIT.failed) {
    super(message);
    this.status = status;
  }
}

/** GETs or POSTs and gives the JSON of a good answer. @throws CommandFailed */
export async function fetchJson(session: Session, path: string, init?: { method?: string; body?: string }): Promise<unknown> {
  const response = await session.request(path, init);
  if (!response.ok) throw new CommandFailed(await formatProblem(response));
  return response.json();
}

/** A stored report, whole. @throws CommandFailed */
export async function fetchReport(session: Session, tick: string): Promise<Report> {
  return (await fetchJson(session, `/reports/${encodeURIComponent(tick)}.json`)) as Report;
}

const Head = z.looseObject({ tick: z.string() });

/** The tick of an answer of `/tick`. */
export function tickOf(answer: unknown): string {
  return Head.parse(answer).tick;
}
