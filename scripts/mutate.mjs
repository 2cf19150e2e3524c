// `npm run mutate`: changes the code that decides outcomes in small ways, and looks whether a test fails.
//   --sample 200 --seed 1   only so many of the mutants, chosen by a seed
//   --mutate FILE           only the mutants of a file, or of a pattern
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    mutate: { type: 'string', multiple: true },
  },
});

const results = await new Stryker({
  ...(values.mutate && { mutate: values.mutate }),
  ...(values.sample && { checkers: ['sample'], sample: { size: Number(values.sample), seed: values.seed } }),
}).runMutationTest();

const count = (...statuses) => results.filter(({ status }) => statuses.includes(status)).length;
const killed = count('Killed', 'Timeout');
const tried = killed + count('Survived', 'NoCoverage');
console.log(`${killed} of ${tried} mutants killed (${((100 * killed) / tried).toFixed(1)} %)`);
