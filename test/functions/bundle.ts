import { build, type BuildResult } from 'esbuild';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What Miniflare is told of every worker under test. */
export const EDGE = { modules: true, compatibilityDate: '2026-04-01' } as const;

/** Bundles entries as an edge platform does: for workers, without any `node:` module. */
export function bundle(...entryPoints: string[]): Promise<BuildResult<{ metafile: true; write: false }>> {
  return build({
    entryPoints,
    outdir: 'out',
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    target: 'es2022',
    logLevel: 'silent',
  });
}
