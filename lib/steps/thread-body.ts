import { parentPort } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import { readFiles } from '../readers/files.ts';
import { httpReader, type ReadSecret } from '../readers/http.ts';
import { nodeGet } from '../readers/node-get.ts';
import type { Readers } from '../readers/reader.ts';
import { digest, type DigestRequest } from './digest.ts';

const readSecret: ReadSecret = (path) => readFileSync(path, 'utf8');
const readers: Readers = {
  path: readFiles,
  url: httpReader(nodeGet, readSecret),
  // These are loaded where they are configured, and nowhere else.
  brokers: async (request) => (await import('../readers/kafka/reader.ts')).kafkaReader(readSecret)(request),
  schemas: async (location, tell) => (await import('../readers/avro/schemas.ts')).schemaReader(nodeGet, readSecret)(location, tell),
};

// The body of a collect's own thread: file descriptors, blocked reads and memory end with it.
parentPort?.on('message', (request: DigestRequest) => {
  void digest(request, readers).then((reply) => parentPort?.postMessage(reply));
});
