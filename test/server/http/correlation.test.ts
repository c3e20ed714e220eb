/** Ids of the caller, X-Request-Id and traceparent, in the log, the request log and the audit log. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlPrefix, servicePrefix } from '../../../src/contract/prefix.ts';
import { readCorrelation } from '../../../src/server/http/correlation.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

describe('readCorrelation', () => {
  test.each([
    ['nothing', {}, {}],
    ['both', { 'x-request-id': 'checkout-4711', traceparent }, { callerRequestId: 'checkout-4711', traceId }],
    ['a later version with more fields', { traceparent: `01-${traceId}-00f067aa0ba902b7-01-more` }, { traceId }],
    ['an id that is too long', { 'x-request-id': 'a'.repeat(129) }, {}],
    ['an id with spaces or controls', { 'x-request-id': 'a b\tc' }, {}],
    ['version 00 with more fields', { traceparent: `${traceparent}-more` }, {}],
    ['version ff', { traceparent: `ff${traceparent.slice(2)}` }, {}],
    ['a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, {}],
    ['a parent id of zeros', { traceparent: `00-${traceId}-${'0'.repeat(16)}-01` }, {}],
    ['upper case', { traceparent: traceparent.toUpperCase() }, {}],
    ['text', { traceparent: 'trace' }, {}],
  ])('%s', (_, headers, expected) => {
    expect(readCorrelation(headers)).toEqual(expected);
  });
});

describe('a request with ids of its caller', () => {
  const audit = createMemorySink();
  let server: TestServer;
  let response: Response;
  let requestId: string;

  beforeAll(async () => {
    server = await startServer({ flags: { 'log-level': 'info' }, audit });
    response = await send(`${servicePrefix}/groups`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': 'checkout-4711', traceparent },
      body: JSON.stringify({ groupName: 'ops', roles: ['VIEW'] }),
    });
    requestId = response.headers.get('x-request-id') ?? '';
  });
  afterAll(() => server[Symbol.asyncDispose]());

  function send(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const authorization = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
    return fetch(`${server.url}${path}`, { ...init, headers: { authorization, ...headers } });
  }

  test('gets an id of the server', () => {
    expect(response.status).toBe(201);
    expect(requestId).not.toBe('');
    expect(requestId).not.toBe('checkout-4711');
  });

  test('is found in the request log by both ids', async () => {
    for (const id of [requestId, 'checkout-4711']) {
      const found = await send(`${controlPrefix}/requests/${id}`);
      expect(await found.json()).toMatchObject({ id: requestId, callerRequestId: 'checkout-4711', traceId });
    }
  });

  test('has them in the audit log', () => {
    expect(audit.events()).toContainEqual(
      expect.objectContaining({ requestId, callerRequestId: 'checkout-4711', traceId }),
    );
  });
});
