import { defineConfig } from 'vitest/config';

/** Processes that are killed, every bit of a file, hundreds of requests: too slow to run for each small change. */
const slow = [
  'any flipped bit',
  '20 processes',
  'processes never hold it together',
  'long posts go to several logs',
  'of 200 decisions',
  'no answer until the deadline',
];

// The fast tests of what `npm run mutate` changes: see stryker.config.mjs.
export default defineConfig({
  test: {
    include: [
      'test/{client,history}/**/*.test.ts',
      'test/cli/operation/**/*.test.ts',
      'test/commands/history/*.test.ts',
    ],
    exclude: ['test/client/{honesty,tls}.test.ts', 'test/history/crash.test.ts'],
    testNamePattern: new RegExp(`^(?!.*(${slow.join('|')}))`),
    testTimeout: 60_000,
  },
});
