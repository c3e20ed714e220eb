/** Exports a span of each request, and the metrics of requests, over OTLP. Loaded only if a collector is configured. */
import { parseTraceParent } from '../http/correlation.ts';
import type { RequestState } from '../http/request-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { Stopwatch } from '../lib/stopwatch.ts';
import type { Timer } from '../lib/timer.ts';
import type { OperationCount } from '../observability/coverage.ts';
import { isRecordedPath } from '../observability/record-request.ts';
import { createDelivery, createSpanQueue, repeat, type SendPost } from './delivery.ts';
import { type RequestSpan, renderRequestMetrics, renderTraces } from './otlp-json.ts';
import type { OtlpSettings, SamplerSettings } from './otlp-settings.ts';

export interface Telemetry {
  readonly stopwatch: Stopwatch;
  /** Queues the span of a finished request. @param status undefined if the connection was closed without a response */
  recordRequest(state: RequestState, status: number | undefined): void;
  /** Sets the source of the metrics. */
  setCounts(read: () => Iterable<OperationCount>): void;
  /** Sends what is queued, for at most two seconds. */
  close(): Promise<void>;
}

export interface TelemetryDeps {
  readonly send: SendPost;
  /** The clock of the machine: the traces of other services have its time, too. */
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly timer: Timer;
  readonly random: Random;
  readonly log: Log;
}

const closeTimeoutMs = 2_000;

/** Starts the exporter. */
export function createTelemetry(settings: OtlpSettings, deps: TelemetryDeps): Telemetry {
  const { clock, timer } = deps;
  const { tracesUrl, metricsUrl, resource, spanInterval, metricInterval } = settings;
  const start = clock.now().getTime();
  const delivery = createDelivery(deps.send, deps);
  const spans = createSpanQueue<RequestSpan>(
    async (batch) => tracesUrl === undefined || delivery.post(tracesUrl, renderTraces(resource, batch)),
    delivery.countDropped,
  );
  let readCounts: () => Iterable<OperationCount> = () => [];

  async function sendMetrics(): Promise<void> {
    const counts = [...readCounts()];
    if (metricsUrl === undefined || counts.length === 0) return;
    await delivery.post(metricsUrl, renderRequestMetrics(resource, counts, { start, end: clock.now().getTime() }));
  }

  const ends = [repeat(timer, spanInterval, spans.flush), repeat(timer, metricInterval, sendMetrics)];
  return {
    stopwatch: deps.stopwatch,
    recordRequest(state, status) {
      if (tracesUrl === undefined || !isRecordedPath(state.path)) return;
      const span = createSpan(state, status, { ...deps, sampler: settings.sampler });
      if (span) spans.add(span);
    },
    setCounts(read) {
      readCounts = read;
    },
    async close() {
      for (const end of ends) end();
      const cancel = timer.after(closeTimeoutMs, delivery.abort);
      await Promise.all([spans.flush(), sendMetrics()]);
      cancel();
    },
  };
}

/** Returns undefined if the trace is not sampled. */
function createSpan(
  { request, requestId, startedAt, operation }: RequestState,
  status: number | undefined,
  { clock, stopwatch, random, sampler }: TelemetryDeps & { readonly sampler: SamplerSettings },
): RequestSpan | undefined {
  const parent = parseTraceParent(request.headers.traceparent);
  const traceId = parent?.traceId ?? random.bytes(16).toString('hex');
  const isSampled = parent && sampler.followsParent ? parent.isSampled : isInShare(traceId, sampler.ratio);
  if (!isSampled) return undefined;
  const end = clock.now().getTime();
  const now = stopwatch.now();
  return {
    traceId,
    spanId: random.bytes(8).toString('hex'),
    parentId: parent?.parentId,
    start: end - (now - (startedAt ?? now)),
    end,
    method: request.method ?? '',
    operation,
    requestId,
    status,
  };
}

/** Decides by the trace id, so that all services with the same share sample the same traces. */
function isInShare(traceId: string, ratio: number): boolean {
  return ratio >= 1 || Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
}
