/** Metrics in the text format of Prometheus. Labels are only operations, statuses and table names. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditLog } from '../audit/audit.ts';
import { routeOf } from '../http/paths.ts';
import type { LoopDelay } from '../lib/stopwatch.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import { durationBounds, type OperationCount, type StatusCount } from './coverage.ts';

type CountsByOperation = ReadonlyMap<string, OperationCount>;

interface MetricsDeps {
  readonly store: Store;
  readonly audit: AuditLog | undefined;
  readonly delay: ReturnType<LoopDelay['readAndReset']>;
  readonly hashesWaiting: number;
}

const countedTables = ['users', 'clients', 'groups', 'businesses', 'sessions', 'messages'] as const;

/** Renders the current values. They are counted elsewhere: counting with the library would slow down each request. */
export async function renderMetrics(counts: CountsByOperation, deps: MetricsDeps) {
  const registry = new Registry();
  registry.registerMetric(new RequestDurations(counts));
  await addStoreMetrics(registry, deps);
  addProcessMetrics(registry, deps);
  addTransactionMetrics(registry, deps.store);
  await addDatabaseMetrics(registry, deps.store);
  addDiskMetrics(registry, deps);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

async function addStoreMetrics(registry: Registry, { store }: MetricsDeps): Promise<void> {
  const rows = createGauge(registry, 'iam_store_rows', 'Rows in the store', 'table');
  try {
    for (const table of countedTables) rows.set({ table }, await store[table].count());
  } catch (error) {
    // The other metrics are needed most without the database.
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
  createGauge(registry, 'iam_store_writable', 'Whether the store is writable').set(store.health().writable ? 1 : 0);
}

function addProcessMetrics(registry: Registry, { hashesWaiting, delay }: MetricsDeps): void {
  createGauge(registry, 'iam_hashes_waiting', 'Queued password hashes').set(hashesWaiting);
  const delays = createGauge(
    registry,
    'iam_event_loop_delay_seconds',
    'Event loop delay since the last scrape',
    'quantile',
  );
  delays.set({ quantile: '0.5' }, delay.median);
  delays.set({ quantile: '0.99' }, delay.p99);
  delays.set({ quantile: '1' }, delay.max);
}

/** Adds the metrics of transactions that can run again, as on PostgreSQL. */
function addTransactionMetrics(registry: Registry, store: Store): void {
  const stats = store.transactionStats?.();
  if (!stats) return;
  createCounter(registry, 'iam_store_commits_total', 'Committed transactions').inc(stats.committed);
  createCounter(registry, 'iam_store_retries_total', 'Runs of transactions that failed and ran again').inc(
    stats.retried,
  );
  createCounter(registry, 'iam_store_unconfirmed_commits_total', 'Commits without a response, which were inquired').inc(
    stats.unconfirmed,
  );
  createCounter(registry, 'iam_store_unknown_outcomes_total', 'Transactions with an unknown outcome').inc(
    stats.unknown,
  );
}

/** Adds what a server uses of its database. */
async function addDatabaseMetrics(registry: Registry, store: Store): Promise<void> {
  const stats = await store.databaseStats?.();
  if (!stats) return;
  const connections = createGauge(registry, 'iam_store_connections', 'Connections to the database', 'state');
  connections.set({ state: 'in_use' }, stats.connections.inUse);
  connections.set({ state: 'idle' }, stats.connections.idle);
  const waiting = createGauge(registry, 'iam_store_waiting', 'Callers that wait for a connection or a lane', 'for');
  waiting.set({ for: 'connection' }, stats.connections.waiting);
  waiting.set({ for: 'lane' }, stats.lanes.waiting);
  createGauge(registry, 'iam_store_lanes_in_use', 'Writing transactions that run').set(stats.lanes.inUse);
  if (stats.synchronousStandbys === undefined) return;
  const help = 'Connected synchronous standbys of the database';
  createGauge(registry, 'iam_store_synchronous_standbys', help).set(stats.synchronousStandbys);
}

/** Adds the metrics of the store and the audit log on disk, if any. */
function addDiskMetrics(registry: Registry, { store, audit }: MetricsDeps): void {
  const disk = store.diskStats?.();
  if (disk) {
    const help = 'Size of the write-ahead log since the last checkpoint';
    createGauge(registry, 'iam_store_journal_bytes', help).set(disk.walBytes);
    createCounter(registry, 'iam_store_syncs_total', 'Number of disk syncs').inc(disk.syncs);
    createCounter(registry, 'iam_store_sync_seconds_total', 'Total time of disk syncs').inc(disk.syncSeconds);
  }
  const health = audit?.health();
  if (health) {
    createGauge(registry, 'iam_audit_writable', 'Whether the audit log is writable').set(health.writable ? 1 : 0);
    createCounter(registry, 'iam_audit_lines_lost_total', 'Lines of the audit log that were lost').inc(health.lost);
  }
}

function createGauge<Label extends string = never>(registry: Registry, name: string, help: string, label?: Label) {
  return new Gauge<Label>({ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
}

function createCounter(registry: Registry, name: string, help: string) {
  return new Counter({ name, help, registers: [registry] });
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** `http.server.request.duration` of the OpenTelemetry semantic conventions, as Prometheus writes it. */
const durations = {
  name: 'http_server_request_duration_seconds',
  help: 'Request durations by operation and status',
} as const;

const durationLabels = ['http_request_method', 'http_route', 'http_response_status_code', 'operation'] as const;

/** A histogram with the counts of finished requests. The library's own can only observe one value at a time. */
class RequestDurations extends Histogram<(typeof durationLabels)[number]> {
  readonly #counts: CountsByOperation;

  constructor(counts: CountsByOperation) {
    super({
      ...durations,
      labelNames: durationLabels,
      buckets: [...durationBounds],
      registers: [],
    });
    this.#counts = counts;
  }

  /** The registry reads the samples of a histogram with this method. */
  async getForPromString() {
    const values = [...this.#counts.values()].flatMap(({ operation, statuses }) =>
      [...statuses].flatMap(([status, count]) => listSamples(labelsOf(operation, status), count)),
    );
    return { ...durations, type: 'histogram', values };
  }
}

function labelsOf(operation: OperationCount['operation'], status: number): Sample['labels'] {
  return {
    http_request_method: operation.method,
    http_route: routeOf(operation),
    http_response_status_code: status,
    operation: operation.id,
  };
}

/** Buckets are cumulative. */
function listSamples(labels: Sample['labels'], { calls, seconds, buckets }: StatusCount): Sample[] {
  const { name } = durations;
  let sum = 0;
  const upTo = durationBounds.map((bound, at) => {
    sum += buckets[at] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: sum };
  });
  return [
    ...upTo,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: calls },
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: calls },
  ];
}
