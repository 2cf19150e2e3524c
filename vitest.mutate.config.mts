import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The fastest tests first: the first that fails ends the run of a mutant. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    return (await super.sort(files)).reverse();
  }
}

// The fast tests of what `npm run mutate` changes: see stryker.config.mjs.
export default defineConfig({
  test: {
    include: [
      'test/{client,history}/**/*.test.ts',
      'test/cli/operation/**/*.test.ts',
      'test/commands/{blog,disputes,history}/**/*.test.ts',
      'test/commands/{resume,undo}.test.ts',
    ],
    // They start many processes, wait for real time, or damage files at random.
    exclude: [
      'test/client/tls.test.ts',
      'test/history/killed.test.ts',
      'test/history/journal/{killed,processes}.test.ts',
    ],
    isolate: false,
    sequence: { sequencer: FastestFirst },
    testTimeout: 30_000,
  },
});
