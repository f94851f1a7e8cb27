import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/integration/**', 'test/bench/**'],
          setupFiles: ['test/loopback.ts', 'test/seed.ts'],
          // No test is about its own time; a busy machine may be ten times slower.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          setupFiles: ['test/seed.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
