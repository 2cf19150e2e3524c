import { defineConfig } from 'vitest/config';

// The tests of what `npm run mutate` changes: see stryker.config.mjs.
export default defineConfig({
  test: {
    include: [
      'test/{client,history}/**/*.test.ts',
      'test/cli/operation/**/*.test.ts',
      'test/commands/disputes/**/*.test.ts',
    ],
    testTimeout: 60_000,
  },
});
