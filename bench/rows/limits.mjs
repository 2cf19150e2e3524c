import { once } from 'node:events';
import { connect } from 'node:net';
import { startService } from '../lib/scene.mjs';

const requests = 1_000;

/** Sends them all at once, without a key, and reads what comes until the service closes the connection. */
async function pipeline(origin) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n'.repeat(requests));
  await once(socket.resume(), 'close');
}

const pipelined = {
  name: 'service: memory for pipelined requests',
  what: `growth of memory by ${requests} pipelined \`GET /openapi.json\` without a key on each of three connections`,
  unit: 'MiB',
  perRound: 1,
  warmUps: 0,
  once: true,
  goals: () => [{ of: 'value', atMost: 50 }],
  async prepare(place) {
    const service = await startService(place);
    // Makes the document.
    await (await globalThis.fetch(`${service.origin}/openapi.json`)).text();
    return {
      async subject() {
        const before = service.peakMemory();
        await Promise.all([1, 2, 3].map(() => pipeline(service.origin)));
        return service.peakMemory() - before;
      },
      floor: null,
      end: service.stop,
    };
  },
};

export const limitRows = [pipelined];
