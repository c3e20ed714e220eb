/** Figures in the text format of Prometheus. Names of operations, statuses and tables are all that tells them apart. */
import { type Metric, Registry } from 'prom-client';
import type { Store } from '../store/store.ts';
import { durationBounds, type OperationCount, type StatusCount } from './coverage.ts';

type CountsByOperation = ReadonlyMap<string, OperationCount>;

interface Parts {
  readonly store: Store;
  readonly hashesWaiting: number;
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

const counted = ['users', 'clients', 'groups', 'businesses', 'sessions', 'messages'] as const;

/** Counted here and not by the library, which takes longer for it than a call may. */
export async function metricsText(counts: CountsByOperation, { store, hashesWaiting }: Parts) {
  const registry = new Registry();
  const rows = await Promise.all(
    counted.map(async (table) => ({ labels: { table }, value: await store[table].count() })),
  );
  const add = (name: string, help: string, type: string, values: readonly Sample[]) =>
    registry.registerMetric({
      name,
      get: async () => ({ name, help, type, values, aggregator: 'sum' }),
    } as unknown as Metric);
  add('iam_request_duration_seconds', 'Calls by operation and status', 'histogram', durations(counts));
  add('iam_store_rows', 'Rows of the store', 'gauge', rows);
  add('iam_store_writable', 'Whether the store takes writes', 'gauge', one(store.health().writable ? 1 : 0));
  add('iam_hashes_waiting', 'Password hashes that wait for their turn', 'gauge', one(hashesWaiting));
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}

function durations(counts: CountsByOperation): Sample[] {
  return [...counts].flatMap(([operation, { statuses }]) =>
    [...statuses].flatMap(([status, count]) => histogram({ operation, status }, count)),
  );
}

/** Each bucket holds those before it. */
function histogram(labels: Sample['labels'], { calls, seconds, buckets }: StatusCount): Sample[] {
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
