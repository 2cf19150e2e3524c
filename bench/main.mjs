// `npm run bench`: see lib/options.mjs for what it takes, and rows/ for what it measures.
import { execFileSync } from 'node:child_process';
import { parseOptions, UsageError, usage } from './lib/options.mjs';
import { root } from './lib/processes.mjs';
import { printTable, toDocument, writeReadme } from './lib/report.mjs';
import { measureAll } from './lib/rounds.mjs';
import { rows } from './rows/index.mjs';

try {
  await run(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}

async function run(options) {
  const chosen = rows.filter(
    ({ name, engine }) => options.only.test(name) && (engine !== 'postgres' || options.postgres),
  );
  if (options.help) console.log(usage);
  else if (options.list) for (const { name } of chosen) console.log(name);
  else await measure(chosen, options);
}

async function measure(chosen, options) {
  // Measures the current source, so it is built first. The build's own output is not a result.
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 2] });

  const results = await measureAll(chosen, options);
  const document = toDocument(results, options);
  if (options.json) console.log(JSON.stringify(document, null, 2));
  else printTable(document);
  if (options.readme) await writeReadme(document);
}
