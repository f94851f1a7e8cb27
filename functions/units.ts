import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UnitFlags } from '../lib/cli/program.ts';
import { ConfigError } from '../lib/config.ts';
import { fillUnit, UNIT_FILES, type UnitValues } from '../lib/systemd/units.ts';
import { packageRoot } from './node.ts';

/** Writes the systemd units, filled in for this installation. @throws ConfigError for a value that no unit can hold */
export function writeUnits(flags: UnitFlags): string[] {
  const templates = join(packageRoot(), 'lib', 'systemd');
  const values: UnitValues = {
    user: flags.user ?? 'hpc-observer',
    group: flags.group ?? flags.user ?? 'hpc-observer',
    readGroups: flags.readGroup ?? [],
    node: process.execPath,
    nodeMajor: Number(process.versions.node.split('.')[0]),
    cli: fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../dist/functions/cli.js' : '../functions/cli.js', import.meta.url)),
    curl: flags.curl ?? '/usr/bin/curl',
    logger: flags.logger ?? '/usr/bin/logger',
    config: flags.config ?? '/etc/hpc-observer/config.yaml',
    state: flags.stateRoot ?? '/var/lib/hpc-observer/state',
    reports: flags.reportRoot ?? '/var/lib/hpc-observer/reports',
    ...(flags.headerFile !== undefined && { headerFile: flags.headerFile }),
    addresses: flags.address ?? [],
  };
  mkdirSync(flags.out, { recursive: true });
  return UNIT_FILES.map((name) => {
    const file = join(flags.out, name);
    try {
      writeFileSync(file, fillUnit(readFileSync(join(templates, name), 'utf8'), values));
    } catch (error) {
      throw new ConfigError([error instanceof TypeError ? error.message : `${file}: ${(error as Error).message}`]);
    }
    return file;
  });
}
