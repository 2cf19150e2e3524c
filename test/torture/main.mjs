// `npm run torture`: see options.ts for what it takes, and promises.ts for what it checks.
import { execFileSync } from 'node:child_process';
import { load, root } from '../../scripts/load.mjs';

// What is tried is what is in the source now.
execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 2] });

const { main } = await load('test/torture/torture.ts');
const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
process.exitCode = await main(process.argv.slice(2), {
  root,
  output: process.stdout,
  progress: process.stderr,
  signal: controller.signal,
});
