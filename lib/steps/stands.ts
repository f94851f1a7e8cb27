import type { Input } from '../model/collector.ts';
import { digestHex } from '../model/identity.ts';
import { parseDuration } from '../model/time.ts';
import type { Opened } from '../readers/reader.ts';
import type { Stands } from '../store/snapshots.ts';
import { VERSION } from '../version.ts';
import type { DigestRequest } from './digest.ts';

/*
 * A collector is pure: the same inputs, with the same carry and configuration, come to the same outcome, but for what the
 * clock changes, and when it does that the collector says. So inputs are read at every run, and digested anew only where
 * something of all that is another than before.
 */

/** All is digested anew after so long at the latest. */
const AT_MOST = parseDuration('6h');

/**
 * A hash over everything but clock and carry that an outcome depends on: program, configuration, and each byte that was
 * read; null where that cannot be told before the inputs are digested.
 */
export async function inputsKey(request: DigestRequest, { inputs, coverage, problems }: Opened): Promise<string | null> {
  if (request.parts || request.location.avro) return null;
  if (inputs.some((input) => input.sha256 === undefined)) return null;
  const { source, location, options, cluster, asOf, timezone, nodeDomains, rules } = request;
  const told = (input: Input) => [input.name, input.role, input.mtime, input.file, input.sha256?.()];
  return digestHex(
    JSON.stringify([
      VERSION,
      { source, location, options, cluster, asOf, timezone, nodeDomains, rules },
      inputs.map(told),
      coverage,
      problems,
    ]),
  );
}

/** Whether an outcome still is what digesting these inputs would come to. */
export async function stillStands({ key, from, until }: Stands, request: DigestRequest, opened: Opened): Promise<boolean> {
  return request.now >= from && request.now < until && (await inputsKey(request, opened)) === key;
}

/**
 * Until when an outcome stands.
 * @param turns when the clock alone changes it
 */
export function standsFor(key: string, now: number, turns: readonly number[]): Stands {
  const until = turns.reduce((first, at) => (at > now && at < first ? at : first), now + AT_MOST);
  return { key, from: now, until };
}
