// What `npm run mutate` changes (scripts/mutate.mjs).
export default {
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutant-sample.mjs'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutate.config.mts' },
  mutate: [
    'src/client/throttle.ts',
    'src/client/outcome/{combine-attempts,doubt,retry}.ts',
    'src/client/response/{classify,mismatch}.ts',
    'src/base/files/**/*.ts',
    'src/history/**/*.ts',
    'src/cli/batch/**/*.ts',
    'src/commands/disputes/dispute/dispute-status.ts',
  ],
  // Messages are checked by other tests, and say nothing about outcomes.
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  // TypeScript 7 has no API for Stryker to rewrite it with, and vitest does not need it.
  tsconfigFile: 'not-used.json',
  ignoreStatic: true,
  // On a busy machine the first run takes longer than the default of five minutes.
  dryRunTimeoutMinutes: 20,
  concurrency: 1,
  reporters: ['clear-text', 'progress'],
  tempDirName: '.stryker-tmp',
  thresholds: { high: 90, low: 85, break: 85 },
};
