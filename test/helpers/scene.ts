import { onTestFinished } from 'vitest';
import { machineFor } from './cli.ts';
import { type Behaviour, startFaultServer } from './fault-server.ts';
import { startLossyProxy } from './lossy-proxy.ts';
import { startService } from './service.ts';

/** A store of the real service behind a connection that can lose things, and a user's machine. */
export async function setScene() {
  const service = await startService();
  const proxy = await startLossyProxy(service.origin);
  return { service, proxy, machine: machineFor({ ...service, origin: proxy.origin }) };
}

/** A service that answers by a script, closed after the test, and a user's machine that knows it. */
export async function fakeService(...script: readonly Behaviour[]) {
  const server = await startFaultServer(script);
  onTestFinished(server.close);
  return { server, machine: machineFor({ origin: server.url, storeId: 's-1', apiKey: 'key-of-a-test' }) };
}
