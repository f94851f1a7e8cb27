import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

/** A program of a Debian package: where it is, or why it is not here. */
export type Tool = { path: string; missing?: undefined } | { path?: undefined; missing: string };

const found = new Map<string, Tool>();

/**
 * Finds a program that a test checks ours against, and installs its Debian package where it is missing and that is possible.
 * @param pkg the package, e.g. `clustershell`
 * @param binary the program in it, e.g. `nodeset`
 * @throws where the environment says CI: there a missing tool fails the test instead of skipping it
 */
export function requireDebian(pkg: string, binary: string): Tool {
  const tool = found.get(binary) ?? look(pkg, binary);
  found.set(binary, tool);
  if (tool.missing !== undefined && process.env['CI']) throw new Error(tool.missing);
  return tool;
}

/**
 * Describes tests that need programs of Debian packages. They are skipped where one is missing, saying why.
 * @param programs per program its package: `{ nodeset: 'clustershell' }`
 * @param body is given the path of each program
 */
export function describeWith<Name extends string>(
  title: string,
  programs: Record<Name, string>,
  body: (paths: Record<Name, string>) => void,
): void {
  const tools = (Object.entries(programs) as [Name, string][]).map(([binary, pkg]) => [binary, requireDebian(pkg, binary)] as const);
  const missing = tools.flatMap(([, tool]) => tool.missing ?? []);
  const paths = Object.fromEntries(tools.map(([binary, tool]) => [binary, tool.path ?? binary])) as Record<Name, string>;
  // The reporter shows the titles of skipped tests only when asked to.
  if (missing.length > 0) console.warn(`skipped: ${title}: ${missing.join('; ')}`);
  describe.skipIf(missing.length > 0)(`${title}${missing.length > 0 ? ` (skipped: ${missing.join('; ')})` : ''}`, () => {
    body(paths);
  });
}

function look(pkg: string, binary: string): Tool {
  const here = which(binary);
  if (here !== undefined) return { path: here };
  if (which('apt-get') === undefined) return { missing: `${binary} is not installed, and there is no apt-get to install ${pkg}` };
  if (process.getuid?.() !== 0) return { missing: `${binary} is not installed, and only root can install ${pkg}` };
  try {
    // One list of packages is enough for all tools of a run.
    if (![...found.values()].some((tool) => tool.missing === undefined)) apt('update', '-q');
    apt('install', '-y', '-q', '--no-install-recommends', pkg);
  } catch (error) {
    return { missing: `apt-get could not install ${pkg}: ${lastLine(error)}` };
  }
  const path = which(binary);
  return path === undefined ? { missing: `${pkg} is installed, and there is no ${binary} in it` } : { path };
}

function apt(...args: string[]): void {
  execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 280_000,
  });
}

function lastLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  return stderr.trim().split('\n').at(-1) ?? '';
}

function which(binary: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, binary)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
