import type { HttpHandler } from '../http/http-message.ts';
import type { Storage, StorageUsage } from '../storage/core/storage.ts';
import { type Backlog, findBacklog } from '../storage/queries/backlog.ts';

/** Numbers for Prometheus. */
export interface Metrics {
  /** Counts a record of the log, if it is about a request or an attempt to deliver. */
  count(record: object): void;
  /** Answers `GET /metrics`. */
  readonly handler: HttpHandler;
}

/** What {@link Metrics.count} reads of a record. */
interface LogRecord {
  readonly route?: string;
  readonly method?: string | null;
  readonly status?: number;
  readonly ms?: number;
  /** Of an attempt to deliver. */
  readonly outcome?: string;
}

/** In seconds: a read of the embedded engine takes a fraction of a millisecond. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const noBacklog: Backlog = { count: Number.NaN, oldest: null };

/** Makes the metrics of one instance. What concerns the database is asked for when they are read. */
export async function createMetrics(
  storage: Storage,
  askUsage: () => Promise<StorageUsage>,
): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'storectl_http_requests_total',
    help: 'Completed requests',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'storectl_http_request_duration_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  });
  const attempts = new Counter({
    name: 'storectl_delivery_attempts_total',
    help: 'Delivery attempts of this instance by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const gauge = (name: string, help: string, labels: string[] = []) =>
    new Gauge({ name: `storectl_${name}`, help, labelNames: labels, registers });
  const isUp = gauge('database_up', 'Whether the database responds');
  const waiting = gauge('deliveries', 'Pending or dead deliveries, up to 100000', ['state']);
  const oldest = gauge('deliveries_oldest_seconds', 'Age of the oldest delivery, 0 if none', ['state']);
  const connections = gauge('pool_connections', 'Connections to PostgreSQL', ['state']);
  const waits = gauge('pool_waiting', 'Transactions waiting for a connection');
  const counter = (name: string, help: string) =>
    new Counter({ name: `storectl_${name}_total`, help, registers });
  const commits = counter('commits', 'Database commits');
  const changes = counter('committed_changes', 'Changes committed (several can share a commit)');

  async function askDatabase(): Promise<void> {
    const backlog = await storage.read(findBacklog).catch(() => null);
    isUp.set(backlog === null ? 0 : 1);
    for (const state of ['pending', 'dead'] as const) {
      const { count, oldest: since } = backlog?.[state] ?? noBacklog;
      waiting.set({ state }, count);
      oldest.set({ state }, since === null ? 0 : Math.max(0, Date.now() - Date.parse(since)) / 1000);
    }
    const usage = await askUsage();
    commits.reset();
    commits.inc(usage.commits);
    changes.reset();
    changes.inc(usage.changes);
    if (usage.connections === null) return;
    const { total, idle } = usage.connections;
    connections.set({ state: 'busy' }, total - idle);
    connections.set({ state: 'idle' }, idle);
    waits.set(usage.connections.waiting);
  }

  return {
    count({ route, method, status, ms, outcome }: LogRecord) {
      if (outcome !== undefined) attempts.inc({ outcome });
      if (route === undefined || status === undefined || ms === undefined) return;
      // Any text can be a method.
      const known = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method ?? '')
        ? String(method)
        : 'other';
      requests.inc({ method: known, route, status: String(status) });
      durations.observe({ method: known, route }, ms / 1000);
    },
    async handler({ method, path }) {
      if (path !== '/metrics' || method !== 'GET')
        return answer(404, 'text/plain', 'The metrics are at /metrics.\n');
      await askDatabase();
      return answer(200, registry.contentType, await registry.metrics());
    },
  };
}

function answer(status: number, contentType: string, body: string) {
  const headers = { 'Content-Type': contentType, 'Content-Length': String(Buffer.byteLength(body)) };
  return { status, headers, body };
}
