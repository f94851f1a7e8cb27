/** The unit files that ship beside this module; `@NAME@` in them stands for a site's own value. */
export const UNIT_FILES = [
  'hpc-observer.socket',
  'hpc-observer.service',
  'hpc-observer-collect@.service',
  'hpc-observer-collect@.timer',
  'hpc-observer-diff.service',
  'hpc-observer-diff.timer',
  'hpc-observer-tick.service',
  'hpc-observer-tick.timer',
  'hpc-observer-failed@.service',
] as const;

/** What a site fills into the units. Paths are absolute. */
export interface UnitValues {
  user: string;
  group: string;
  /** Groups whose files the service may read beside its own. */
  readGroups: readonly string[];
  node: string;
  /** The major version of that Node, which decides the flags of its permission model. */
  nodeMajor: number;
  cli: string;
  curl: string;
  logger: string;
  config: string;
  state: string;
  reports: string;
  /** File with an Authorization header line for the timers' calls, where the server wants a token. */
  headerFile?: string;
  /** Addresses beside loopback that the service may talk to. */
  addresses: readonly string[];
}

/**
 * Fills one unit.
 * @throws TypeError for a value that would not stand as one word in a unit file
 */
export function fillUnit(template: string, values: UnitValues): string {
  const word = (name: string, value: string): string => {
    if (!/^[\w./:@+,-]+$/.test(value))
      throw new TypeError(`${name}: ${JSON.stringify(value)} cannot stand in a unit file; expected letters, digits and ./:@+,-`);
    return value;
  };
  const words = (name: string, list: readonly string[]): string => list.map((v) => word(name, v)).join(' ');
  const filled: Record<string, string> = {
    USER: word('user', values.user),
    GROUP: word('group', values.group),
    READ_GROUPS: words('read group', values.readGroups),
    NODE: word('node', values.node),
    PERMISSIONS: permissionFlags(values),
    CLI: word('cli', values.cli),
    CURL: word('curl', values.curl),
    LOGGER: word('logger', values.logger),
    CONFIG: word('config', values.config),
    STATE: word('state root', values.state),
    REPORTS: word('report root', values.reports),
    AUTHORIZATION: values.headerFile ? ` --header @${word('header file', values.headerFile)}` : '',
    ADDRESSES: values.addresses.length > 0 ? ` ${words('address', values.addresses)}` : '',
  };
  const lines = template.replaceAll(/@([A-Z_]+)@/g, (whole, name: string) => filled[name] ?? whole).split('\n');
  // A setting without a value would reset what it names.
  return lines.filter((line) => line !== 'SupplementaryGroups=').join('\n');
}

/**
 * Node's own permission model as a second wall, where it holds: no writes but below the roots, no child process, no
 * add-on. That of Node 20 crashes when a thread starts, and that of 24 refuses fsync, which durable state needs.
 */
function permissionFlags({ nodeMajor, state, reports }: UnitValues): string {
  if (nodeMajor !== 22) return '';
  const writable = [state, reports].map((root) => `--allow-fs-write=${root} --allow-fs-write=${root}/*`).join(' ');
  return `--permission --no-warnings --allow-worker --allow-fs-read=* ${writable} `;
}
