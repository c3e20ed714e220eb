/** Metrics in the text format of Prometheus. Labels are only operation ids, statuses and table names. */
import { type Metric, Registry } from 'prom-client';
import type { AuditLog } from '../audit/audit.ts';
import type { LoopDelay } from '../lib/stopwatch.ts';
import type { Store } from '../store/store.ts';
import { durationBounds, type OperationCount, type StatusCount } from './coverage.ts';

type CountsByOperation = ReadonlyMap<string, OperationCount>;

interface MetricsDeps {
  readonly store: Store;
  readonly audit: AuditLog | undefined;
  readonly delay: ReturnType<LoopDelay['readAndReset']>;
  readonly hashesWaiting: number;
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

const countedTables = ['users', 'clients', 'groups', 'businesses', 'sessions', 'messages'] as const;

/** Renders counters of this package: counting with the library would slow down each request too much. */
export async function renderMetrics(counts: CountsByOperation, deps: MetricsDeps) {
  const { store, hashesWaiting, delay } = deps;
  const registry = new Registry();
  const rows = await Promise.all(
    countedTables.map(async (table) => ({ labels: { table }, value: await store[table].count() })),
  );
  const add = (name: string, help: string, type: string, values: readonly Sample[]) =>
    registry.registerMetric({
      name,
      get: async () => ({ name, help, type, values, aggregator: 'sum' }),
    } as unknown as Metric);
  add(
    'iam_request_duration_seconds',
    'Request durations by operation and status',
    'histogram',
    listDurationSamples(counts),
  );
  add('iam_store_rows', 'Rows in the store', 'gauge', rows);
  add('iam_store_writable', 'Whether the store is writable', 'gauge', singleSample(store.health().writable ? 1 : 0));
  add('iam_hashes_waiting', 'Queued password hashes', 'gauge', singleSample(hashesWaiting));
  add('iam_event_loop_delay_seconds', 'Event loop delay since the last scrape', 'gauge', [
    { labels: { quantile: '0.5' }, value: delay.median },
    { labels: { quantile: '0.99' }, value: delay.p99 },
    { labels: { quantile: '1' }, value: delay.max },
  ]);
  for (const [name, help, type, value] of listDiskMetrics(deps)) add(name, help, type, singleSample(value));
  return { contentType: registry.contentType, text: await registry.metrics() };
}

type MetricRow = readonly [name: string, help: string, type: string, value: number];

/** Metrics of the store and the audit log on disk, if any. */
function listDiskMetrics({ store, audit }: MetricsDeps): MetricRow[] {
  const disk = store.diskStats?.();
  const auditHealth = audit?.health();
  return [
    ...(disk
      ? ([
          ['iam_store_journal_bytes', 'Size of the write-ahead log since the last checkpoint', 'gauge', disk.walBytes],
          ['iam_store_syncs_total', 'Number of disk syncs', 'counter', disk.syncs],
          ['iam_store_sync_seconds_total', 'Total time of disk syncs', 'counter', disk.syncSeconds],
        ] as const)
      : []),
    ...(auditHealth
      ? ([
          ['iam_audit_writable', 'Whether the audit log is writable', 'gauge', auditHealth.writable ? 1 : 0],
          ['iam_audit_lines_lost_total', 'Lines of the audit log that were lost', 'counter', auditHealth.lost],
        ] as const)
      : []),
  ];
}

function singleSample(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function listDurationSamples(counts: CountsByOperation): Sample[] {
  return [...counts].flatMap(([operation, { statuses }]) =>
    [...statuses].flatMap(([status, count]) => buildHistogram({ operation, status }, count)),
  );
}

/** Buckets are cumulative. */
function buildHistogram(labels: Sample['labels'], { calls, seconds, buckets }: StatusCount): Sample[] {
  const name = 'iam_request_duration_seconds';
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
