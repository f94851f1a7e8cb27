import type { R2Bucket } from '@cloudflare/workers-types';
import { Miniflare } from 'miniflare';
import { r2Driver } from '../../lib/store/drivers/r2.ts';
import { conformance } from '../store/conformance.ts';

/** A bucket whose pages hold two names, so that every listing has to turn them. */
function smallPages(bucket: R2Bucket): R2Bucket {
  return new Proxy(bucket, {
    get(target, name) {
      if (name === 'list') return (options?: R2ListOptions) => target.list({ ...options, limit: 2 });
      return Reflect.get(target, name) as unknown;
    },
  });
}
type R2ListOptions = Parameters<R2Bucket['list']>[0];

// Every call crosses into workerd through miniflare's proxy, tens of milliseconds each.
conformance(
  'r2',
  async () => {
    const script = 'export default { fetch: () => new Response() }';
    const miniflare = new Miniflare({ modules: true, script, r2Buckets: ['STATE'], cf: false });
    // Miniflare's bucket is a proxy of the real one, under types of its own.
    const bucket = (await miniflare.getR2Bucket('STATE')) as unknown as R2Bucket;
    return { driver: r2Driver(smallPages(bucket)), close: () => miniflare.dispose() };
  },
  { creators: 50 },
);
