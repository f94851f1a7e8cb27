import { ReadError } from '../../model/collector.ts';
import type { Cluster } from './cluster.ts';
import type { Connection } from './connection.ts';
import type { PartitionWindow } from './partitions.ts';
import {
  decodeFetch,
  decodeListOffsets,
  encodeFetch,
  encodeListOffsets,
  errorName,
  ERRORS,
  type FetchAnswer,
  isPassing,
  type OffsetAnswer,
  type OffsetQuery,
} from './protocol.ts';

/** What became of one partition's part of a call: an answer, or why there is none. */
export interface Outcome<Query, Answer> {
  query: Query;
  answer?: Answer;
  failure?: string;
  /** Whether another leader, or the same one later, may answer. */
  passing?: boolean;
}

interface At {
  topic: string;
  partition: number;
  leader: number;
}

/** Asks every partition's leader, all leaders at once; a leader that is gone costs its own partitions alone. */
async function askLeaders<Query extends At, Answer extends { topic: string; partition: number; error: number }>(
  cluster: Cluster,
  queries: readonly Query[],
  ask: (connection: Connection, queries: Query[]) => Promise<Answer[]>,
): Promise<Outcome<Query, Answer>[]> {
  const byLeader = new Map<number, Query[]>();
  for (const query of queries) {
    const own = byLeader.get(query.leader);
    if (own === undefined) byLeader.set(query.leader, [query]);
    else own.push(query);
  }
  const outcomes = await Promise.all(
    [...byLeader].map(async ([leader, own]): Promise<Outcome<Query, Answer>[]> => {
      if (leader < 0) return own.map((query) => ({ query, failure: 'has no leader', passing: true }));
      try {
        const answers = new Map((await ask(await cluster.leader(leader), own)).map((a) => [`${a.topic}/${a.partition}`, a]));
        return own.map((query) => outcomeOf(query, answers.get(`${query.topic}/${query.partition}`)));
      } catch (error) {
        if (!(error instanceof ReadError)) throw error;
        return own.map((query) => ({ query, failure: `its leader ${error.input} ${error.message}`, passing: true }));
      }
    }),
  );
  return outcomes.flat();
}

function outcomeOf<Query, Answer extends { error: number }>(query: Query, answer: Answer | undefined): Outcome<Query, Answer> {
  if (answer === undefined) return { query, failure: 'is not in the answer of its leader', passing: true };
  if (answer.error === 0 || answer.error === ERRORS.OFFSET_OUT_OF_RANGE) return { query, answer };
  if (answer.error === ERRORS.TOPIC_AUTHORIZATION_FAILED) return { query, failure: 'may not be read by this user', passing: false };
  return { query, failure: `is answered with ${errorName(answer.error)}`, passing: isPassing(answer.error) };
}

/** Looks up offsets of partitions. */
export function listOffsets<Query extends At & OffsetQuery>(
  cluster: Cluster,
  queries: readonly Query[],
): Promise<Outcome<Query, OffsetAnswer>[]> {
  return askLeaders(cluster, queries, (connection, own) => connection.request('listOffsets', encodeListOffsets(own), decodeListOffsets));
}

const MAX_WAIT = 250;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_PARTITION_BYTES = 1024 * 1024;
const LEAST_PARTITION_BYTES = 64 * 1024;

/** Fetches on where each partition stands; of all together not much more than `bytes`. */
export function fetchAll(
  cluster: Cluster,
  partitions: readonly PartitionWindow[],
  bytes: number,
): Promise<Outcome<PartitionWindow, FetchAnswer>[]> {
  const each = Math.max(LEAST_PARTITION_BYTES, Math.min(MOST_PARTITION_BYTES, Math.floor(bytes / partitions.length)));
  return askLeaders(cluster, partitions, async (connection, own) => {
    const queries = own.map(({ topic, partition, position }) => ({ topic, partition, offset: position, maxBytes: each }));
    const { error, partitions: answers } = await connection.request(
      'fetch',
      encodeFetch(queries, { maxBytes: MOST_BYTES, maxWait: MAX_WAIT }),
      decodeFetch,
    );
    if (error !== 0) throw new ReadError('unreadable', connection.name, `answers a fetch with ${errorName(error)}`);
    return answers;
  });
}
