import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees what nothing refers to any more. Resolves when the destructors of native objects among it have run. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  // Node runs them in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
}
