import { expect, test } from 'vitest';
import type { OperationClass } from '../../src/contract/operation.ts';
import { serve } from '../helpers/raw-server.ts';
import { clientFor } from './support.ts';

const classes = ['read', 'repeatable', 'keyed', 'one-shot'] as const satisfies readonly OperationClass[];
const answers = [
  'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"ok":true}',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"ok"\r\n6\r\n:true}\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"ok":true}',
];

/** Numbers below `limit` that are the same in every run (Park and Miller). */
function randomNumbers(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Cuts its answers and its connections at any byte. Counts what reached it and what it answered whole, by path. */
async function startCuttingServer(random: (limit: number) => number) {
  const begun = new Map<string, number>();
  const answered = new Set<string>();
  const server = await serve((socket) => {
    const fate = random(6);
    if (fate === 0) return void socket.destroy();
    if (fate === 1) return void socket.resetAndDestroy();
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
      const path = /^POST (\S+) [\s\S]*\r\n\r\n\{\}$/.exec(received)?.[1];
      if (path === undefined) return;
      received = '';
      begun.set(path, (begun.get(path) ?? 0) + 1);
      const text = answers[random(answers.length)] ?? '';
      const length = random(3) === 0 ? text.length : random(text.length);
      if (length === text.length) answered.add(path);
      socket.write(text.slice(0, length), () => {
        // A body without a length ends with its connection.
        if (length === text.length && !text.includes('close') && random(2) === 0) return;
        if (random(2) === 0) socket.resetAndDestroy();
        else socket.end();
      });
    });
  });
  return { ...server, begun, answered };
}

test.each([1, 2, 3])(
  'wherever a server cuts, the outcome says no more than is known (seed %i)',
  async (seed) => {
    const random = randomNumbers(seed);
    await using server = await startCuttingServer(random);
    await using client = clientFor(server.url);
    const kinds = new Set<string>();

    for (let number = 0; number < 200; number += 1) {
      const operationClass = classes[number % classes.length] ?? 'read';
      const path = `/${number}`;
      const outcome = await client.send({ method: 'POST', path, body: '{}', class: operationClass }, {});
      const begun = server.begun.get(path) ?? 0;

      kinds.add(outcome.kind);
      expect(begun).toBeLessThanOrEqual(operationClass === 'one-shot' ? 1 : outcome.attempts);
      if (outcome.kind === 'applied') expect(server.answered).toContain(path);
      if (outcome.kind === 'not_sent' && operationClass !== 'read') expect(begun).toBe(0);
    }
    expect(kinds).toContain('applied');
    expect(kinds).toContain('unknown');
  },
);
