// `node bench/soak.mjs [--minutes 10] [--rate 100] [--postgres]`: whether the service needs more memory the longer it runs.
// Requests of all kinds at a steady rate, with messages to a receiver; at the end its memory may be 1.1 times that of minute two.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, fetch } from 'undici';
import { engines, requestOf } from './lib/databases.mjs';
import { cleanEnvironment, root } from './lib/processes.mjs';
import { startService } from './lib/scene.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '100' },
    postgres: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
if (!(minutes >= 3 && rate > 0)) throw new Error('--minutes must be at least 3, and --rate above 0');

/** Requests in turn: what owners do, with mistakes among it. */
const kinds = [
  () => ['GET', '/operations/settings'],
  (number) => ['POST', '/blog/posts', { title: `Post ${number}`, contentMd: 'x'.repeat(2_000) }],
  (number) => ['PATCH', '', { name: `Store ${number}` }],
  (number) => ['POST', '/disputes', { kind: 'payment', reason: 'Late', idempotencyKey: `k${number}` }],
  () => ['PUT', '/operations/settings', { discovery: { enabled: true } }],
  (number) => [
    'POST',
    '/operations/backups',
    { label: 'b', sections: ['store', 'blog'], idempotencyKey: `b${number}` },
  ],
  () => ['POST', '/notifications/read', {}],
  () => ['GET', '/disputes/00000000-0000-7000-8000-000000000000'],
  () => ['POST', '/blog/posts', { title: '' }],
];

const agent = new Agent({ connections: 32 });
const folder = mkdtempSync(path.join(tmpdir(), 'storectl-soak-'));
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}');
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const engine = values.postgres ? 'postgres' : 'embedded';
const { database, end } = await engines[engine](folder);
try {
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: ['ignore', 'ignore', 2] });
  const place = {
    node: process.execPath,
    env: cleanEnvironment(folder),
    folder,
    ...(database && { database }),
  };
  const sink = `http://127.0.0.1:${receiver.address().port}`;
  const service = await startService(place, { flags: ['--delivery-sink', sink] });
  try {
    process.exitCode = (await soak(service)) ? 0 : 1;
  } finally {
    await service.stop();
  }
} finally {
  receiver.close();
  await end();
  rmSync(folder, { recursive: true, force: true });
}

/** Prints the memory of each minute. Resolves with whether it stays. */
async function soak(service) {
  const send = requestOf(service, (number) => kinds[number % kinds.length](number));
  const endpoint = requestOf(service, () => [
    'POST',
    '/notifications/endpoints',
    {
      kind: 'discord',
      name: 'A',
      url: 'https://discord.com/api/webhooks/1/a-token',
      events: ['post_created'],
    },
  ]);
  const made = await statusOf(service.origin, endpoint(0));
  if (made !== 201) throw new Error(`the endpoint was not added: ${made}`);
  const statuses = new Map();
  const samples = Array.from({ length: minutes }, () => []);
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  let sent = 0;
  let nextSample = 0;
  const running = new Set();
  while (elapsed() < minutes * 60_000) {
    for (; sent < (elapsed() / 1000) * rate && running.size < 200; sent += 1) {
      const one = statusOf(service.origin, send(sent))
        .then((status) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
        .finally(() => running.delete(one));
      running.add(one);
    }
    if (elapsed() >= nextSample) {
      samples[Math.floor(elapsed() / 60_000)]?.push(memoryOf(service.pid));
      nextSample += 2_000;
    }
    await sleep(5);
  }
  await Promise.all(running);
  const averages = samples.map((one) => one.reduce((sum, value) => sum + value, 0) / one.length);
  const ratio = averages.at(-1) / averages[1];
  const unexpected = [...statuses.keys()].filter((status) => !(status < 500));
  console.log(`${engine}: ${sent} requests, statuses ${JSON.stringify(Object.fromEntries(statuses))}`);
  console.log(`MiB in each minute: ${averages.map((average) => average.toFixed(1)).join(' ')}`);
  console.log(`the last minute is ${ratio.toFixed(2)} times minute two (goal: at most 1.1)`);
  return ratio <= 1.1 && unexpected.length === 0;
}

/** The status of the answer, or the code of the error without one. */
async function statusOf(origin, { path: at, body, ...request }) {
  try {
    const response = await fetch(origin + at, {
      ...request,
      ...(body && { body: JSON.stringify(body) }),
      dispatcher: agent,
    });
    await response.text();
    return response.status;
  } catch (error) {
    return error.cause?.code ?? error.message;
  }
}

/** Resident memory in MiB. */
function memoryOf(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}
