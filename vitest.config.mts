import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // See vitest.system.config.mts.
    exclude: ['test/system/**'],
    // Most tests wait: for child processes, clocks and terminals.
    maxWorkers: 4,
    // These end what hangs. No test fails because the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
