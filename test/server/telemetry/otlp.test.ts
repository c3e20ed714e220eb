/** Spans and metrics over OTLP, with a collector in this process. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { systemClock } from '../../../src/server/lib/clock.ts';
import { createLog } from '../../../src/server/lib/log.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { systemStopwatch } from '../../../src/server/lib/stopwatch.ts';
import type { Timer } from '../../../src/server/lib/timer.ts';
import { createDelivery, createSpanQueue } from '../../../src/server/telemetry/delivery.ts';
import { openTelemetry } from '../../../src/server/telemetry/open.ts';
import { readOtlpSettings } from '../../../src/server/telemetry/otlp-settings.ts';
import type { Telemetry } from '../../../src/server/telemetry/telemetry.ts';
import { adminClient, createFakeClock, startServer, type TestServer } from '../../harness.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[];
  readonly status: { readonly code?: number };
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const groups = `${servicePrefix}/groups`;
const authorization = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;

/** Listens as a collector. @param respond returns the status; undefined for a collector that never responds */
async function startCollector(respond: () => number | undefined = () => 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    const status = respond();
    if (status !== undefined) response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const stop = () => new Promise<unknown>((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop };
}

/** Runs what waits on `fire`, so that no test waits. */
function createManualTimer() {
  const pending = new Set<() => void>();
  const timer: Timer = {
    after(_milliseconds, work) {
      pending.add(work);
      return () => pending.delete(work);
    },
  };
  const fire = () => {
    for (const work of [...pending]) {
      pending.delete(work);
      work();
    }
  };
  return { timer, fire };
}

async function startTraced(environment: Readonly<Record<string, string>>, { timer } = createManualTimer()) {
  const lines: string[] = [];
  const log = createLog(
    'info',
    (line) => lines.push(line),
    () => systemClock.now(),
  );
  const settings = readOtlpSettings(environment);
  const deps = { clock: systemClock, stopwatch: systemStopwatch, timer, random: systemRandom, log };
  const telemetry = settings && openTelemetry(settings, deps);
  const server = await startServer({ telemetry });
  onTestFinished(() => server[Symbol.asyncDispose]());
  telemetry?.setCounts(() => server.appContext.observability?.coverage.sinceStart().values() ?? []);
  return { server, telemetry: telemetry as Telemetry, lines };
}

const send = (server: TestServer, path: string, headers: Readonly<Record<string, string>> = {}) =>
  server.send({ method: 'GET', path, headers: Object.entries({ authorization, ...headers }) });

const spansOf = (received: readonly Received[]) =>
  received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => {
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('with a collector', () => {
  test('spans have method, route, status and parent, and no id, query or credential', async () => {
    const collector = await startCollector();
    const { server, telemetry } = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_SERVICE_NAME: 'identity',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,service.name=other',
    });
    await send(server, `${groups}/some-id?secret=hidden`, { traceparent: `00-${traceId}-${parentId}-01` });
    await send(server, groups, { traceparent: `00-${traceId}-${parentId}-00` });
    await send(server, '/healthz');
    await telemetry.close();
    const [span, ...others] = spansOf(collector.received);
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      traceId,
      parentSpanId: parentId,
      name: `GET ${groups}/{groupId}`,
      kind: 2,
      status: {},
    });
    expect(span?.spanId).toMatch(/^(?!0+$)[0-9a-f]{16}$/);
    expect(attributesOf(span as Span)).toMatchObject({
      'http.request.method': 'GET',
      'http.route': `${groups}/{groupId}`,
      'http.response.status_code': '404',
      'iam.operation': 'groups.get',
    });
    const all = collector.received.map(({ body }) => body).join('\n');
    for (const text of ['some-id', 'hidden', authorization, adminClient.clientSecret]) expect(all).not.toContain(text);
    expect(all).toContain('{"key":"service.name","value":{"stringValue":"identity"}}');
    expect(all).toContain('{"key":"deployment.environment","value":{"stringValue":"test"}}');
    const metrics = collector.received.find(({ path }) => path === '/v1/metrics');
    expect(metrics?.headers).toMatchObject({ 'x-tenant': 'a b', 'content-type': 'application/json' });
    expect(metrics?.body).toContain('"name":"http.server.request.duration","unit":"s"');
    expect(metrics?.body).toContain('"count":"1"');
  });

  test('a batch that is refused for now is sent again, a malformed one is not, and the log has a line a minute', async () => {
    const statuses = [503, 503, 400, 503];
    const sent: string[] = [];
    const lines: string[] = [];
    const clock = createFakeClock();
    const log = createLog(
      'info',
      (line) => lines.push(line),
      () => clock.now(),
    );
    const send = async ({ body }: { readonly body: string }) => {
      sent.push(body);
      return statuses.shift() ?? 200;
    };
    const delivery = createDelivery(send, { log, clock });
    const queue = createSpanQueue<string>(
      (batch) => delivery.post('http://collector', batch.join()),
      () => {},
    );
    queue.add('first');
    for (let attempt = 0; attempt < 4; attempt += 1) await queue.flush();
    expect(sent).toEqual(['first', 'first', 'first']);
    expect(lines).toEqual([expect.stringContaining('"reason":"status 503"')]);
    clock.advance(60);
    queue.add('second');
    await queue.flush();
    await queue.flush();
    expect(sent.slice(3)).toEqual(['second', 'second']);
    expect(lines).toHaveLength(2);
  });
});

describe('without a collector', () => {
  test('that responds, the server serves, the queue is bounded and the stop is not delayed', async () => {
    const collector = await startCollector(() => undefined);
    const manual = createManualTimer();
    const { server, telemetry } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, manual);
    manual.fire();
    expect(await send(server, groups)).toMatchObject({ status: 200 });
    const closed = telemetry.close();
    manual.fire();
    await closed;
    expect(await send(server, groups)).toMatchObject({ status: 200 });
    const dropped: number[] = [];
    const queue = createSpanQueue<number>(
      async () => false,
      (count) => dropped.push(count),
    );
    for (let at = 0; at < 2_050; at += 1) queue.add(at);
    expect(dropped).toEqual([1, 1]);
  });

  test('that listens, the server serves, and the log has no URL', async () => {
    const collector = await startCollector();
    await collector.stop();
    const url = collector.url.replace('//', '//user:pass-of-collector@');
    const { server, telemetry, lines } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(await send(server, groups)).toMatchObject({ status: 200 });
    await telemetry.close();
    const failures = lines.filter((line) => line.includes('telemetry was not delivered'));
    expect(failures).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(failures.join()).not.toContain('pass-of-collector');
  });
});

describe('the variables', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

  test.each([
    {},
    { OTEL_SERVICE_NAME: 'iam' },
    { ...endpoint, OTEL_SDK_DISABLED: 'true' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
  ])('%j export nothing', (environment) => {
    expect(readOtlpSettings(environment)).toBeUndefined();
  });

  test.each([
    [{}, { followsParent: true, ratio: 1 }],
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, { followsParent: false, ratio: 0 }],
    [
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
      { followsParent: true, ratio: 0.25 },
    ],
  ])('%j select a sampler', (environment, sampler) => {
    expect(readOtlpSettings({ ...endpoint, ...environment })).toMatchObject({
      tracesUrl: 'http://collector:4318/v1/traces',
      metricsUrl: 'http://collector:4318/v1/metrics',
      sampler,
    });
  });

  test('set the intervals of the exports', () => {
    expect(readOtlpSettings(endpoint)).toMatchObject({ spanInterval: 5_000, metricInterval: 60_000 });
    const intervals = { OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_METRIC_EXPORT_INTERVAL: '2000' };
    expect(readOtlpSettings({ ...endpoint, ...intervals })).toMatchObject({ spanInterval: 100, metricInterval: 2000 });
  });

  test.each(['http/json', 'http/protobuf'])('accept the protocol %s, as receivers of both accept JSON', (protocol) => {
    expect(readOtlpSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol })).toBeDefined();
  });

  test('of a signal take precedence over the common ones, and do not matter if it is not exported', () => {
    const own = {
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
    };
    expect(readOtlpSettings({ ...endpoint, ...own, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeDefined();
    const none = { OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' };
    expect(readOtlpSettings({ ...endpoint, ...none })).toMatchObject({ metricsUrl: undefined });
  });

  test.each([
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...endpoint, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' },
    { ...endpoint, OTEL_BSP_SCHEDULE_DELAY: '0' },
    { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: 'hidden' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:hidden' },
    { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'hidden' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'jaeger_remote' },
    { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
  ])('%j are rejected without their values', (environment) => {
    expect(() => readOtlpSettings(environment)).toThrow(/^(?!.*hidden)OTEL_\w+ must be /);
  });
});
