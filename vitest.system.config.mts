import { defineConfig } from 'vitest/config';

/** These kill servers again and again, or run long random sequences: minutes, and no part of `npm test`. */
export const slow = [
  'test/service/delivery/crash.test.ts',
  'test/service/killed.test.ts',
  'test/service/operations/random-sequences.test.ts',
  'test/service/storage/postgres/{failover,unavailable}.test.ts',
];

// Tests that need more of a system than a shell (less, zsh, fish, groff, nginx and pgbouncer), and slow ones.
// `.ci/run` installs what they need.
export default defineConfig({
  test: {
    include: ['test/system/**/*.test.ts', ...slow],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
