import { describe, expect, it } from 'vitest';
import { collectorOf } from '../../lib/collectors/registry.ts';
import { Location } from '../../lib/config.ts';
import { ReadError } from '../../lib/model/collector.ts';
import type { Readers } from '../../lib/readers/reader.ts';
import { adviceFor } from '../../lib/steps/advice.ts';
import { digest } from '../../lib/steps/digest.ts';

async function adviceOf(location: object, readers: Readers): Promise<string | undefined> {
  const reply = await digest(
    {
      source: 'kafka_telemetry',
      location: { ...Location.parse(location), roles: {} },
      options: collectorOf('kafka_telemetry')?.options.parse({}),
      cluster: 'demo',
      now: 0,
      timezone: 'UTC',
      nodeDomains: [],
      rules: {},
      handed: { state: 'none' },
    },
    readers,
  );
  return reply !== 'as before' && 'problem' in reply ? reply.problem.advice : undefined;
}

const brokers = { brokers: ['k1.test:9092'], topics: ['t'] };
const unreadable = (): never => {
  throw new ReadError('unreadable', 'somewhere', 'cannot be reached');
};

describe('what to do about a source that cannot be read', () => {
  it('goes by how it is read', async () => {
    expect(await adviceOf({ path: '/mnt/telemetry' }, { path: unreadable })).toContain('mount');
    expect(await adviceOf({ url: 'https://weka.test' }, { url: unreadable })).toContain('token_file');
    const advice = await adviceOf(brokers, { brokers: unreadable });
    expect(advice).toContain('Read and Describe');
    expect(advice).not.toContain('mount');
  });

  it('of a topic that is not there, is not to look for a job that writes files', async () => {
    const absent = () => ({
      inputs: [],
      coverage: [{ name: 't', status: 'missing' as const, bytes: 0 }],
      problems: [{ effect: 'input' as const, input: 't', message: 'is no topic of these brokers' }],
      close: () => undefined,
    });
    expect(await adviceOf(brokers, { brokers: absent })).toBe(adviceFor('missing', 'brokers'));
    expect(adviceFor('missing', 'brokers')).toContain('Describe');
  });
});
