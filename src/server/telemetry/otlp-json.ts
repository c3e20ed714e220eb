/** The JSON of OTLP for spans and metrics (opentelemetry-proto 1.x): ids in hexadecimal, 64-bit numbers as strings. */
import { routeOf } from '../http/route-template.ts';
import { durationBounds, type OperationCount, type StatusCount } from '../observability/coverage.ts';

type AttributeValue = string | number;

/** What a span reports of a finished request: never its path, query, headers or body, which can contain ids and secrets. */
export interface RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  readonly method: string;
  readonly operation: OperationCount['operation'] | undefined;
  readonly requestId: string;
  /** Undefined if the connection was closed without a response. */
  readonly status: number | undefined;
}

const scope = { name: 'iam-standin' };
const serverKind = 2;
const errorStatus = 2;
const cumulative = 2;
const knownMethods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Renders the body of a request to `/v1/traces`. */
export function renderTraces(resource: Readonly<Record<string, string>>, spans: readonly RequestSpan[]): string {
  const scopeSpans = [{ scope, spans: spans.map(toSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }] });
}

function toSpan(span: RequestSpan): object {
  const { traceId, spanId, parentId, start, end, operation, requestId, status } = span;
  const method = knownMethods.has(span.method) ? span.method : '_OTHER';
  const route = operation && routeOf(operation);
  const failure = status === undefined ? 'connection_closed' : status >= 500 ? String(status) : undefined;
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name: [method === '_OTHER' ? 'HTTP' : method, ...(route === undefined ? [] : [route])].join(' '),
    kind: serverKind,
    startTimeUnixNano: toNanoseconds(start),
    endTimeUnixNano: toNanoseconds(end),
    attributes: toAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'error.type': failure,
      'iam.operation': operation?.id,
      'iam.request_id': requestId,
    }),
    status: failure === undefined ? {} : { code: errorStatus },
  };
}

export interface MetricPeriod {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly end: number;
}

/** Renders the body of a request to `/v1/metrics`: the durations since the start. */
export function renderRequestMetrics(
  resource: Readonly<Record<string, string>>,
  counts: Iterable<OperationCount>,
  period: MetricPeriod,
): string {
  const dataPoints = [...counts].flatMap(({ operation, statuses }) =>
    [...statuses].map(([status, count]) => toDataPoint(operation, status, count, period)),
  );
  const histogram = { aggregationTemporality: cumulative, dataPoints };
  const metrics = [{ name: 'http.server.request.duration', unit: 's', histogram }];
  const attributes = toAttributes(resource);
  return JSON.stringify({ resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope, metrics }] }] });
}

function toDataPoint(
  operation: OperationCount['operation'],
  status: number,
  { calls, seconds, buckets }: StatusCount,
  { start, end }: MetricPeriod,
): object {
  return {
    attributes: toAttributes({
      'http.request.method': operation.method,
      'http.route': routeOf(operation),
      'http.response.status_code': status,
      'iam.operation': operation.id,
    }),
    startTimeUnixNano: toNanoseconds(start),
    timeUnixNano: toNanoseconds(end),
    count: String(calls),
    sum: seconds,
    bucketCounts: buckets.map(String),
    explicitBounds: durationBounds,
  };
}

function toAttributes(values: Readonly<Record<string, AttributeValue | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }];
  });
}

function toNanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1000)) * 1000n);
}
