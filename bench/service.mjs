// How many requests a second the service answers on its embedded engine: durable writes that share a commit, next to
// the same with a commit for each, and reads. Both run in turns in one go, since only their ratio means anything.
//   node bench/service.mjs [seconds of each measurement, 1 unless given]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'rolldown';
import { Pool } from 'undici';

const seconds = Number(process.argv[2] ?? 1);
const rounds = 3;
const concurrencies = [1, 8, 32, 128];
const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'storectl-bench-'));
const children = [];

try {
  const bundle = path.join(folder, 'instance.cjs');
  await build({
    input: path.join(root, 'bench/service-instance.ts'),
    platform: 'node',
    external: [/^node:/, 'libsql', 'pg'],
    logLevel: 'silent',
    output: { file: bundle, format: 'cjs', codeSplitting: false },
  });
  const shared = await start(bundle, 'shared', 256);
  const alone = await start(bundle, 'alone', 1);

  const lines = [['at once', 'writes/s, one commit each', 'writes/s, shared commits', 'ratio', 'reads/s']];
  for (const concurrency of concurrencies) {
    const measured = { alone: [], shared: [], reads: [] };
    for (let round = 0; round < rounds; round++) {
      measured.alone.push(await measure(alone, concurrency, write));
      measured.shared.push(await measure(shared, concurrency, write));
      measured.reads.push(await measure(shared, concurrency, read));
    }
    const [each, group, reads] = [measured.alone, measured.shared, measured.reads].map(median);
    lines.push([
      concurrency,
      Math.round(each),
      Math.round(group),
      (group / each).toFixed(2),
      Math.round(reads),
    ]);
  }
  for (const line of lines) console.log(line.map((cell) => String(cell).padStart(27)).join(''));
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function start(bundle, name, maxGroup) {
  const script = path.join(folder, `${name}.cjs`);
  const call = `serve(${JSON.stringify(path.join(folder, `${name}.db`))}, ${maxGroup})`;
  writeFileSync(
    script,
    `require(${JSON.stringify(bundle)}).${call}.then((it) => console.log(JSON.stringify(it)));`,
  );
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The bundle is outside the project, its native engine inside.
    env: { ...process.env, NODE_PATH: path.join(root, 'node_modules') },
  });
  children.push(child);
  const [line] = await once(child.stdout, 'data');
  return JSON.parse(String(line));
}

async function measure({ origin, storeId, key }, concurrency, request) {
  const pool = new Pool(origin, { connections: concurrency });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const end = performance.now() + seconds * 1000;
  let answered = 0;
  const client = async () => {
    while (performance.now() < end) {
      const { statusCode, body } = await pool.request({ headers, ...request(storeId) });
      await body.dump();
      if (statusCode >= 300) throw new Error(`answered with ${statusCode}`);
      answered += 1;
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: concurrency }, client));
  const rate = (answered * 1000) / (performance.now() - begin);
  await pool.close();
  return rate;
}

function write(storeId) {
  const body = JSON.stringify({ title: `Post ${Math.random()}`, contentMd: 'A short text.' });
  return { method: 'POST', path: `/v1/stores/${storeId}/blog/posts`, body };
}

function read(storeId) {
  return { method: 'GET', path: `/v1/stores/${storeId}/operations/settings` };
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
