import { parentPort } from 'node:worker_threads';
import { readFileSync } from 'node:fs';
import { readFiles } from '../readers/files.ts';
import { httpReader } from '../readers/http.ts';
import { nodeGet } from '../readers/node-get.ts';
import { digest, type DigestRequest } from './digest.ts';

const readers = { path: readFiles, url: httpReader(nodeGet, (path) => readFileSync(path, 'utf8')) };

// The body of a collect's own thread: file descriptors, blocked reads and memory end with it.
parentPort?.on('message', (request: DigestRequest) => {
  void digest(request, readers).then((reply) => parentPort?.postMessage(reply));
});
