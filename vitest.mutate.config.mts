import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first test that fails ends the run of a mutant, so the fastest files come first. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const duration = ({ project, moduleId }: TestSpecification) => {
      const key = `${project.name}:${path.relative(this.ctx.config.root, moduleId)}`;
      return this.ctx.cache.getFileTestResults(key)?.duration ?? 0;
    };
    return files.toSorted((a, b) => duration(a) - duration(b));
  }
}

// The fast tests of what `npm run mutate` changes: see stryker.config.mjs.
export default defineConfig({
  test: {
    include: [
      'test/{base,client,history,library,cli/batch}/**/*.test.ts',
      'test/commands/{api,blog,disputes,history,settings}/**/*.test.ts',
      'test/commands/{known-lists,resume,store-name,undo,what-changed}.test.ts',
      'test/cli/completion/completion.test.ts',
    ],
    // They start many processes.
    exclude: [
      'test/client/tls.test.ts',
      'test/history/killed.test.ts',
      'test/history/journal/{killed,processes}.test.ts',
    ],
    isolate: false,
    sequence: { sequencer: FastestFirst },
    // The first run counts which lines each test covers, and is slow where other work goes on.
    testTimeout: 120_000,
  },
});
