import { parentPort } from 'node:worker_threads';
import { readFiles } from '../readers/files.ts';
import { digest, type DigestRequest } from './digest.ts';

// The body of a collect's own thread: file descriptors, blocked reads and memory end with it.
parentPort?.on('message', (request: DigestRequest) => {
  void digest(request, { path: readFiles }).then((reply) => parentPort?.postMessage(reply));
});
