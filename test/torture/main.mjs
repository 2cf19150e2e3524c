// `npm run torture`: see options.ts for what it takes, and promises.ts for what it checks.
import { execFileSync } from 'node:child_process';
import { load, root } from '../../scripts/load.mjs';

// What is tried is what is in the source now.
execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 2] });

const { main } = await load('test/torture/torture.ts');
process.exitCode = await main(process.argv.slice(2), root, process.stdout);
