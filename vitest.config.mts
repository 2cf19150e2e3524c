import { defineConfig } from 'vitest/config';

/** These start a PostgreSQL server of their own. Two of them import other test files, and so need modules of their own. */
const postgres = [
  'test/service/**/on-postgres.test.ts',
  'test/service/delivery/crash.test.ts',
  'test/service/killed.test.ts',
  'test/service/operations/random-sequences.test.ts',
  'test/service/storage/postgres/*.test.ts',
];
const acceptance = ['test/acceptance/**/*.test.ts'];
// See vitest.system.config.mts.
const system = ['test/system/**'];

export default defineConfig({
  test: {
    // Most tests wait: for child processes, clocks and terminals.
    maxWorkers: 4,
    // These end what hangs. No test fails because the machine is busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...acceptance, ...postgres, ...system],
          // Loading the program anew for each file takes longer than most files.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'postgres', include: postgres } },
      { extends: true, test: { name: 'acceptance', include: acceptance, isolate: false } },
    ],
  },
});
