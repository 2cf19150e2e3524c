// How long the program takes to start and to do one thing, next to what Node itself needs for nothing.
// Prints medians of interleaved runs and their ratio to `node -e 0`. Usage: node bench/start.mjs [runs]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const runs = Number(process.argv[2] ?? 21);
const program = fileURLToPath(new URL('../bin/storectl.js', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'storectl-bench-'));

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(
      '{"id":"0b8f3f0e-3c1e-4d0f-9a54-5d2f6f3e8a11","version":1,"label":"bench","sections":["store"]}',
    );
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const barePost = `const r=require('node:http').request('${origin}/v1',{method:'POST'},(a)=>{a.resume().on('end',()=>{})});r.end('{}')`;

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  STORECTL_CONFIG_DIR: path.join(folder, 'config'),
  STORECTL_STATE_DIR: path.join(folder, 'state'),
  STORECTL_BASE_URL: origin,
  STORECTL_STORE_ID: '5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3a7',
  STORECTL_API_KEY: 'key-of-the-bench',
};
const cases = {
  'node -e 0': ['-e', '0'],
  'node, one POST with node:http': ['-e', barePost],
  'storectl --version': [program, '--version'],
  'storectl --help': [program, '--help'],
  'storectl backup create --help': [program, 'backup', 'create', '--help'],
  'storectl settings show (one GET)': [program, 'settings', 'show'],
  'storectl backup create (one POST, recorded)': [
    program,
    'backup',
    'create',
    '--label',
    'x',
    '--sections',
    'store',
    '--new',
  ],
  'storectl --demo settings show': [program, '--demo', 'settings', 'show'],
};
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let run = 0; run <= runs; run += 1) {
  for (const [name, args] of Object.entries(cases)) {
    const elapsed = await time(args);
    // The first round fills caches.
    if (run > 0) times[name].push(elapsed);
  }
}
server.close();
rmSync(folder, { recursive: true, force: true });

const floor = median(times['node -e 0']);
console.log(`Node ${process.version}, medians of ${runs} interleaved runs`);
for (const [name, samples] of Object.entries(times)) {
  const value = median(samples);
  console.log(`${name.padEnd(46)} ${value.toFixed(0).padStart(5)} ms  ${(value / floor).toFixed(2)}×`);
}

function time(args) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('exit', (code) => {
      if (code === 0) resolve(performance.now() - start);
      else reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`));
    });
  });
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
