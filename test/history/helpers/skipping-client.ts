import { openClient } from '../../../src/client/client.ts';
import type { Client } from '../../../src/client/client-types.ts';

/** A client whose waits take no time, and how long it would have waited so far, in milliseconds. */
export function skippingClient(baseUrl: string): { readonly client: Client; waited(): number } {
  let waited = 0;
  const clock = {
    now: Date.now,
    monotonic: () => performance.now() + waited,
    sleep: async (ms: number) => {
      waited += ms;
    },
  };
  const options = { baseUrl, apiKey: 'sk_secret_key', userAgent: 'test', env: {}, clock };
  return { client: openClient(options), waited: () => waited };
}
