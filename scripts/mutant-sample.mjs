// A plugin of Stryker: a checker that passes a sample of the mutants, which a seed chooses, and leaves out the others.
import { createHash } from 'node:crypto';

const factory = (options) => {
  const { size, seed } = options.sample;
  const rank = ({ fileName, location, replacement }) =>
    createHash('sha256')
      .update(JSON.stringify([seed, fileName, location, replacement]))
      .digest('hex');
  let sample = new Set();
  return {
    init: async () => {},
    /** Called once, with all mutants. */
    group: async (mutants) => {
      const ranked = mutants.map((mutant) => ({ id: mutant.id, rank: rank(mutant) }));
      ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
      sample = new Set(ranked.slice(0, size).map(({ id }) => id));
      return [mutants.map(({ id }) => id)];
    },
    check: async (mutants) =>
      Object.fromEntries(
        mutants.map(({ id }) => [
          id,
          sample.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' },
        ]),
      ),
  };
};
factory.inject = ['options'];

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory }];
export const strykerValidationSchema = {
  properties: {
    sample: {
      type: 'object',
      properties: { size: { type: 'number' }, seed: { type: 'string' } },
    },
  },
};
