import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: './support/shared-redis.ts',
    // Two workers, since many tests wait for processes of their own in real time. Without isolation the files of a worker
    // share one process, and so one embedding model.
    maxWorkers: 2,
    isolate: false,
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    reporters: ['default', './support/closing-line-reporter.ts'],
  },
});
