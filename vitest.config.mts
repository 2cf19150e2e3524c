import { defineConfig } from 'vitest/config';
import { slow } from './vitest.system.config.mts';

/** These start a PostgreSQL server of their own. Two of them import other test files, and so need modules of their own. */
const postgres = ['test/service/**/on-postgres.test.ts', 'test/service/storage/postgres/*.test.ts'];
const acceptance = ['test/acceptance/**/*.test.ts'];
const system = ['test/system/**', ...slow];

export default defineConfig({
  test: {
    // Most tests wait: for child processes, clocks and terminals.
    maxWorkers: 4,
    // A test that hangs fails soon. The few that start dozens of processes have more time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
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
      { extends: true, test: { name: 'postgres', include: postgres, exclude: system } },
      { extends: true, test: { name: 'acceptance', include: acceptance, isolate: false } },
    ],
  },
});
