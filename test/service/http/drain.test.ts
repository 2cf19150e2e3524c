import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Listening } from '../../../src/service/index.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { gate } from '../../helpers/gate.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { newDatabase, openService, openTestStorage, type Service, serve } from '../helpers/service.ts';

async function serveStore() {
  const service = await openService({ storage: await openTestStorage(await newDatabase()) });
  return { service, server: await serve(service.app) };
}

/** Sends a request on a connection of the agent. Answers the status and the Connection header. */
async function send(agent: Agent, url: string, { key }: Service, body?: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const outgoing = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  await text(response);
  return { status: response.statusCode as number, connection: response.headers.connection as string };
}

/** Opens disputes one after the other, on one connection as long as that lasts, until the service takes no more. */
async function openUntilRefused(service: Service, { origin }: Listening, onAnswer: () => void) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const url = `${origin}/v1/stores/${service.storeId}/operations/disputes`;
  const ends: string[] = [];
  let opened = 0;
  while (ends.length === 0) {
    const body = JSON.stringify({ kind: 'payment', reason: 'x', idempotencyKey: createId() });
    try {
      const { status } = await send(agent, url, service, body);
      if (status !== 201) ends.push(`answered ${status}`);
      else opened += 1;
      onAnswer();
    } catch (error) {
      ends.push(String((error as NodeJS.ErrnoException).code));
    }
  }
  agent.destroy();
  return { opened, ends };
}

test('a stop under load answers every request that was read, and resets no connection', async () => {
  for (let round = 0; round < 3; round++) {
    const { service, server } = await serveStore();
    let answers = 0;
    const warm = gate();
    const clients = Array.from({ length: 16 }, () =>
      openUntilRefused(service, server, () => {
        answers += 1;
        if (answers === 100) warm.open();
      }),
    );
    await warm.opened;
    await server.close({ idleMs: 500 });
    const results = await Promise.all(clients);
    expect(new Set(results.flatMap(({ ends }) => ends))).toEqual(new Set(['ECONNREFUSED']));
    expect(await rowsOf(service, 'disputes', 'id')).toHaveLength(
      results.reduce((sum, { opened }) => sum + opened, 0),
    );
  }
});

test('while it drains, the service accepts connections, says that it closes them, and is not ready', async () => {
  const { service, server } = await serveStore();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const settings = `${server.origin}/v1/stores/${service.storeId}/operations/settings`;
  const readiness = () => send(new Agent(), `${server.origin}/readyz`, service);
  expect(await send(agent, settings, service)).toEqual({ status: 200, connection: 'keep-alive' });
  expect((await readiness()).status).toBe(200);

  const closed = server.close({ drainMs: 1_000 });
  expect(await send(agent, settings, service)).toEqual({ status: 200, connection: 'close' });
  expect(await readiness()).toEqual({ status: 503, connection: 'close' });
  await closed;
  await expect(readiness()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
