import { onTestFinished } from 'vitest';
import { machineFor } from './cli.ts';
import { type Behaviour, startFaultServer } from './fault-server.ts';
import { type Hidden, startLossyProxy } from './lossy-proxy.ts';
import { startService } from './service.ts';

/** A store of the real service behind a connection that can lose things, or hide headers, and a user's machine. */
export async function setScene({ hides }: { readonly hides?: Hidden } = {}) {
  const service = await startService();
  const proxy = await startLossyProxy(service.origin, () => 'pass', hides);
  return { service, proxy, machine: machineFor({ ...service, origin: proxy.origin }) };
}

/** A store of the real service, and a user's machine that knows it. */
export async function startStore() {
  const service = await startService();
  return { service, machine: machineFor(service) };
}

/** The store of {@link fakeService}, and the key to it. */
export const fakeStore = {
  storeId: '4be5c0de-0000-4000-8000-000000000001',
  apiKey: 'any-key-of-another-service',
};

/** A service that answers by a script, closed after the test, and a user's machine that knows it. */
export async function fakeService(...script: readonly Behaviour[]) {
  return serve(script, false);
}

/** The same, where the script is about the reads beyond the contract, too. */
export async function fakeServiceWithReads(...script: readonly Behaviour[]) {
  return serve(script, true);
}

async function serve(script: readonly Behaviour[], hasReads: boolean) {
  const server = await startFaultServer(script, { hasReads });
  onTestFinished(server.close);
  return { server, machine: machineFor({ origin: server.url, ...fakeStore }) };
}
