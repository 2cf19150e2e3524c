// `npm start`: what a newcomer sees first. It takes a backup of the demo store, and says how to go on.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const first = ['--demo', 'backup', 'create', '--label', 'first', '--sections', 'store,blog'];
const program = path.resolve(import.meta.dirname, '..', 'bin', 'storectl.js');

console.log(`$ storectl ${first.join(' ')}`);
const { status } = spawnSync(process.execPath, [program, ...first], { stdio: 'inherit' });
process.exitCode = status ?? 1;

const next = [
  ['demo info', 'see what the demo store contains'],
  ['--demo disputes decide', 'read a dispute and decide it'],
  ['--demo store update', 'change it; undo takes it back'],
  ['auth login', 'connect your own store'],
  ['--help', 'see all commands'],
];

if (status === 0) {
  // Each line fits 80 columns.
  console.log('\nThis was a backup of the demo store, which exists on this machine only.');
  console.log('Go on with:');
  const commands = next.map(([words]) => `node bin/storectl.js ${words}`);
  const width = Math.max(...commands.map(({ length }) => length));
  for (const [index, [, meaning]] of next.entries())
    console.log(`  ${commands[index].padEnd(width)}  ${meaning}`);
  console.log('To use storectl in every folder, without the path: npm install --global .');
}
