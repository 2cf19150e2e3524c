import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // See vitest.system.config.mts.
    exclude: ['test/system/**'],
    // Most tests wait: for child processes, clocks and terminals.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
