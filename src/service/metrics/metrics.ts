import type { HttpHandler } from '../http/http-message.ts';
import type { Storage, StorageUsage } from '../storage/core/storage.ts';
import type { Health } from '../storage/health.ts';
import { backlogStates, findBacklog, findSize } from '../storage/operator/backlog.ts';

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

/** What an instance knows of itself. */
export interface Usage extends StorageUsage {
  /** Attempts to deliver that could begin now. Null if it delivers nothing. */
  readonly freeSlots: number | null;
}

/** Makes the metrics of one instance. What concerns the database is asked for when they are read. */
export async function createMetrics(
  storage: Storage,
  askUsage: () => Promise<Usage>,
  health: Health,
): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `storectl_${name}_total`, help, labelNames, registers });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `storectl_${name}`, help, labelNames, registers });
  const requests = counter('http_requests', 'Completed requests', ['method', 'route', 'status']);
  const durations = new Histogram({
    name: 'storectl_http_request_duration_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  });
  const attempts = counter('delivery_attempts', 'Delivery attempts of this instance by outcome', ['outcome']);
  const isUp = gauge('database_up', 'Whether the database responds, and can save changes');
  const waiting = gauge('deliveries', 'Deliveries by what they wait for, up to 10000', ['state']);
  const oldest = gauge(
    'deliveries_oldest_due_seconds',
    'How long the oldest due delivery has been due, 0 if none',
  );
  const freeSlots = gauge('delivery_slots_free', 'Deliveries that this instance could begin now');
  const size = gauge('database_size_bytes', 'Size of the database');
  const connections = gauge('pool_connections', 'Connections to PostgreSQL', ['state']);
  const waits = gauge('pool_waiting', 'Transactions waiting for a connection');
  const commits = counter('commits', 'Database commits');
  const changes = counter('committed_changes', 'Changes committed (several can share a commit)');

  async function askDatabase(): Promise<void> {
    const found = await storage
      .read(async (db) => ({ backlog: await findBacklog(db, Date.now()), bytes: await findSize(db) }))
      .catch(() => null);
    const isHealthy = await health.check().then(
      () => true,
      () => false,
    );
    isUp.set(found !== null && isHealthy ? 1 : 0);
    for (const state of backlogStates) waiting.set({ state }, found?.backlog.counts[state] ?? Number.NaN);
    oldest.set(found === null ? Number.NaN : found.backlog.oldestDueMs / 1000);
    size.set(found?.bytes ?? Number.NaN);
    const usage = await askUsage();
    freeSlots.set(usage.freeSlots ?? Number.NaN);
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
