import type { Location } from '../config.ts';
import type { Problem } from '../model/snapshot.ts';

/** How a source's inputs are reached: what to look at when they cannot be read depends on it. */
export type Way = 'path' | 'url' | 'brokers' | 'body';

export function wayOf({ location, parts }: { location: Location; parts?: unknown }): Way {
  if (parts !== undefined) return 'body';
  if (location.url !== undefined) return 'url';
  return location.brokers === undefined ? 'path' : 'brokers';
}

const MISSING: Readonly<Record<Way, string>> = {
  path: 'Check the path in the configuration and whether the job that writes it still runs.',
  url: 'Check the url in the configuration: the server answers, and has no such resource.',
  brokers: 'Check topics in the configuration, and that this user may Describe them: to a user who may not, a topic is not there.',
  body: 'Send the document that the source takes; a part without content holds nothing.',
};
const UNREADABLE: Readonly<Record<Way, string>> = {
  path: "Check the mount and that the observer's user or group may read it.",
  url: 'Check that the server can be reached from here, its certificate against ca_file, and that the token in token_file is still valid.',
  brokers:
    'Check that the brokers can be reached from here under the names that they advertise, tls, ca_file and sasl, and that this user has Read and Describe on the topics.',
  body: 'Send the body again, whole.',
};
const TIMEOUT: Readonly<Record<Way, string>> = {
  path: "The read never came back: look for a hung mount (NFS, Weka) on the observer's node before anything else.",
  url: 'The server took the connection and did not answer in time: look at its load before anything else.',
  brokers: 'The brokers did not answer in time: look at their load and at the network; a smaller budget or window asks less of them.',
  body: 'The body did not end in time: send less at once.',
};

/** What to do about a source's problem. */
export function adviceFor(code: Problem['code'], way: Way = 'path'): string {
  switch (code) {
    case 'missing':
      return MISSING[way];
    case 'unreadable':
      return UNREADABLE[way];
    case 'invalid':
      return way === 'brokers'
        ? 'Look at what the topics hold: none of it is telemetry that this source reads; of Avro, see avro in the configuration.'
        : 'Look at the named place: the dump was cut short, or it is another format than this source takes.';
    case 'timeout':
      return TIMEOUT[way];
    case 'too_large':
      return 'Raise max_input of the source if the size is right, else see what writes so much.';
    case 'busy':
      return 'Another run of the same step is under way; wait for it, or look at why it does not end.';
    case 'store':
      return 'Free space for the state and the reports, or make them writable again; the last good state is kept, and the next run goes on from it.';
    case 'internal':
      return 'This is a fault of the program: report it with the place named.';
  }
}
