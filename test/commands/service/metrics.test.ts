import { fetch } from 'undici';
import { expect, test } from 'vitest';
import { newMachine } from '../../helpers/cli.ts';
import { startService } from '../../helpers/service.ts';

/** Starts the service on a database and calls `use` with the addresses that it logs. */
async function serve(databaseFile: string, use: (origin: string, metrics: string) => Promise<void>) {
  const machine = newMachine();
  const stop = new AbortController();
  const output: string[] = [];
  const started = machine.run(
    ['service', 'start', '--port', '0', '--no-delivery', '--database', databaseFile],
    {
      signal: stop.signal,
      env: { STORECTL_SERVICE_METRICS_PORT: '0' },
      onOutput: (text) => output.push(text),
    },
  );
  const find = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, found] = pattern.exec(output.join('')) ?? [];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await use(await find(/Listening on (\S+) with/), await find(/Metrics on ([^"\s]+)/));
  stop.abort();
  return started;
}

test('metrics count requests by route and status, commits, deliveries that wait and the lag of the event loop', async () => {
  const { databaseFile, apiKey, storeId } = await startService();
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { stderr } = await serve(databaseFile, async (origin, metrics) => {
    expect(new URL(metrics).hostname).toBe('127.0.0.1');
    const headers = { authorization: `Bearer ${apiKey}`, traceparent: trace };
    const path = `/v1/stores/${storeId}/operations`;
    await fetch(`${origin}${path}/settings`, { headers });
    await fetch(`${origin}${path}/disputes`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"kind":"payment","reason":"x","idempotencyKey":"k"}',
    });
    await fetch(`${origin}/nothing`, { headers });
    const answer = await fetch(metrics);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    const route = '/v1/stores/{storeId}/operations';
    for (const line of [
      `storectl_http_requests_total{method="GET",route="${route}/settings",status="200"} 1`,
      `storectl_http_requests_total{method="POST",route="${route}/disputes",status="201"} 1`,
      'storectl_http_requests_total{method="GET",route="none",status="404"} 1',
      `storectl_http_request_duration_seconds_count{method="GET",route="${route}/settings"} 1`,
      'storectl_database_up 1',
      'storectl_deliveries{state="dead"} 0',
      'storectl_deliveries{state="held"} 0',
      'storectl_delivery_slots_free Nan',
      'storectl_commits_total ',
      'nodejs_eventloop_lag_p99_seconds ',
    ]) {
      expect(text).toContain(line);
    }
    expect(Number(/^storectl_deliveries\{state="due"\} (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^storectl_deliveries_oldest_due_seconds (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^storectl_database_size_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^storectl_committed_changes_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect((await fetch(new URL('/', metrics))).status).toBe(404);
  });
  expect(stderr).toContain(`"traceparent":"${trace}"`);
  // Everything on stderr is JSON.
  for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
});
