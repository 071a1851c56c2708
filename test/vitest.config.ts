import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    // One worker and no isolation: all test files share one process, and so one embedding model.
    fileParallelism: false,
    isolate: false,
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    reporters: ['default', './support/closing-line-reporter.ts'],
  },
});
