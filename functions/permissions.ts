import { stat } from 'node:fs/promises';
import { type Config, tokenFilesOf } from '../lib/config.ts';
import type { Check } from '../lib/model/check.ts';

/** What may be done on this machine by whom, where that is more than the observer needs. It looks at no source's path: those may hang. */
export async function permissionsOf(config: Config, env: Record<string, string | undefined>): Promise<Check[]> {
  const isRoot = process.getuid?.() === 0;
  const open: Check[] = [];
  for (const file of tokenFilesOf(config)) {
    const mode = await stat(file).then(
      (s) => s.mode,
      () => 0,
    );
    if ((mode & 0o007) !== 0)
      open.push({ name: `token ${file}`, status: 'warning', detail: 'everybody can read it', advice: `chmod o= ${file}` });
  }
  const root = config.state.driver === 'fs' ? config.state.root : undefined;
  const mode =
    root === undefined
      ? 0
      : await stat(root).then(
          (s) => s.mode,
          () => 0,
        );
  if ((mode & 0o002) !== 0)
    open.push({ name: 'state', status: 'warning', detail: `everybody can write into ${root}`, advice: `chmod o-w ${root}` });
  const user: Check = isRoot
    ? {
        name: 'user',
        status: 'warning',
        detail: 'runs as root, and needs no right but to read',
        advice: 'Run it as a user of its own: hpc-observer systemd --user.',
      }
    : { name: 'user', status: 'ok', detail: `runs as ${env['USER'] ?? `user ${process.getuid?.()}`}, unprivileged` };
  return [user, ...open];
}
