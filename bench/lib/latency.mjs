import { Agent, request as send } from 'node:http';
import { median } from './statistics.mjs';

const agent = new Agent({ keepAlive: true });

/** Milliseconds that each of `count` requests takes, one after the other, in order of time. `requestOf` gets a number. */
export async function latenciesOf(origin, requestOf, count) {
  const times = [];
  for (let number = 0; number < count; number += 1) times.push(await timeOf(origin, requestOf(number)));
  return times.sort((one, other) => one - other);
}

/** The same until `task` is over. */
export async function latenciesDuring(origin, requestOf, task) {
  const times = [];
  let isOver = false;
  const over = task().finally(() => {
    isOver = true;
  });
  for (let number = 0; !isOver; number += 1) times.push(await timeOf(origin, requestOf(number)));
  await over;
  return times.sort((one, other) => one - other);
}

export const p50 = median;

/** Of times in order. */
export const p99 = (times) => times[Math.floor(times.length * 0.99)];

/** Rejects unless the answer is a 2xx. */
async function timeOf(origin, request) {
  const start = performance.now();
  await ask(origin, request);
  return performance.now() - start;
}

/** What a 2xx answers, parsed. */
export function ask(origin, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = send(origin + path, { method, headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode < 300) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
