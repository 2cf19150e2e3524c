import { parseArgs } from 'node:util';
import { versionOf } from './processes.mjs';

export const usage = `Measures how fast storectl is, next to what the same costs without it, and says which goals hold.

  npm run bench -- [options]
  npm run --silent bench -- --json > bench.json

  --rounds N       rounds through all rows (default 5); the median of their ratios counts
  --only PATTERN   rows whose name matches this regular expression
  --postgres       also the rows on PostgreSQL, which is in the npm packages of the tests
  --node FILE      another Node to measure on as well; may be given several times
  --json           one JSON document in place of the table
  --readme         also write the table into bench/README.md
  --list           names of the rows`;

/** The command line is wrong. */
export class UsageError extends Error {}

/** Throws a {@link UsageError}. */
export function parseOptions(args) {
  const { values } = orRefuse(
    () =>
      parseArgs({
        args,
        options: {
          rounds: { type: 'string', default: '5' },
          only: { type: 'string', default: '' },
          postgres: { type: 'boolean', default: false },
          node: { type: 'string', multiple: true, default: [] },
          json: { type: 'boolean', default: false },
          readme: { type: 'boolean', default: false },
          list: { type: 'boolean', default: false },
          help: { type: 'boolean', default: false, short: 'h' },
        },
      }),
    ({ message }) => message,
  );
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new UsageError('--rounds takes a number from 1');
  const only = orRefuse(
    () => new RegExp(values.only),
    ({ message }) => `--only: ${message}`,
  );
  for (const node of values.node) {
    orRefuse(
      () => versionOf(node),
      () => `--node ${node} does not run`,
    );
  }
  return { ...values, rounds, only, nodes: [process.execPath, ...values.node] };
}

function orRefuse(make, wordsOf) {
  try {
    return make();
  } catch (error) {
    throw new UsageError(wordsOf(error));
  }
}
