import { connect } from 'node:net';
import { expect, it } from 'vitest';

it('refuses connections to anywhere but this machine', async () => {
  expect(() => connect(9, '192.0.2.1')).toThrow('only loopback');
  expect(() => connect({ port: 9, host: 'example.test' })).toThrow('only loopback');
  await expect(fetch('http://192.0.2.1:9/')).rejects.toThrow();
  const refused = connect(9, '127.0.0.1');
  expect(await new Promise((resolve) => refused.once('error', (error: NodeJS.ErrnoException) => resolve(error.code)))).toBe('ECONNREFUSED');
});
