import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A loopback port that nothing listens on. Tests run in parallel, and servers that take any port (`listen(0)`) get one of
 * 32768 and above on Linux, so this one is below: no other server of a test takes it in between.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
