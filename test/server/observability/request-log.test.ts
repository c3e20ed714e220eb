import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRequestLog,
  joinHeaders,
  maxBodyLength,
  type RequestLogRecord,
  splitHeaders,
} from '../../../src/server/observability/request-log.ts';

const record: RequestLogRecord = {
  sequence: 0,
  consoleUse: undefined,
  requestId: 'r',
  correlation: {},
  at: 0,
  duration: 1,
  method: 'POST',
  path: '/p',
  search: '',
  operation: undefined,
  caller: undefined,
  actor: 'anonymous',
  status: 200,
  errors: [],
  body: undefined,
  bodyLength: 0,
  bodyState: 'none',
  response: undefined,
  responseLength: 0,
  fault: undefined,
  flow: undefined,
  testToken: undefined,
  credential: undefined,
  headerText: '',
  responseHeaders: {},
  reason: undefined,
};

const idsOf = (requestLog: ReturnType<typeof createRequestLog>) =>
  [...requestLog.newestFirst()].map(({ requestId }) => requestId);

describe('the request log', () => {
  test('retains the latest requests, newest first', () => {
    const requestLog = createRequestLog({ maxRequests: 3 });
    for (const requestId of ['a', 'b', 'c', 'd', 'e']) requestLog.add({ ...record, requestId });
    expect(idsOf(requestLog)).toEqual(['e', 'd', 'c']);
    expect(requestLog.find('d')).toMatchObject({ requestId: 'd', sequence: 3 });
    expect(requestLog.find('a')).toBeUndefined();
  });

  test('retains none with a size of 0', () => {
    const requestLog = createRequestLog({ maxRequests: 0 });
    requestLog.add({ ...record });
    expect(idsOf(requestLog)).toEqual([]);
  });

  test('retains fewer if they are long', () => {
    const requestLog = createRequestLog({ maxRequests: 1000, maxBytes: 20_000 });
    const text = 'x'.repeat(5000);
    for (let at = 0; at < 100; at += 1)
      requestLog.add({ ...record, requestId: String(at), response: text, responseLength: text.length });
    expect(idsOf(requestLog)).toEqual(['99', '98', '97']);
    for (let at = 0; at < 100; at += 1) requestLog.add({ ...record, requestId: `short ${at}` });
    expect(idsOf(requestLog)).toHaveLength(33);
  });

  test('omits and releases entries that are too long', () => {
    const requestLog = createRequestLog({ maxRequests: 1 });
    const long = maxBodyLength + 1;
    requestLog.add({ ...record, body: { a: 1 }, bodyLength: long, response: 'x'.repeat(long), responseLength: long });
    expect(requestLog.find('r')).toMatchObject({ bodyLength: long, responseLength: long });
    expect(requestLog.find('r')).toMatchObject({ body: undefined, response: undefined });
    requestLog.add({ ...record, requestId: 'next' });
    expect(idsOf(requestLog)).toEqual(['next']);
  });

  test('replaces a long error message by that of its code, and counts the size of others', () => {
    const requestLog = createRequestLog({ maxRequests: 100, maxBytes: 100_000 });
    const message = `${'x'.repeat(10_000)}: unknown field.`;
    requestLog.add({ ...record, errors: [{ code: 'FIELD_UNKNOWN', message }] });
    expect(requestLog.find('r')?.errors).toEqual([{ code: 'FIELD_UNKNOWN', message: 'Unknown field.' }]);
    for (let added = 0; added < 50; added += 1)
      requestLog.add({ ...record, errors: [{ code: 'FIELD_UNKNOWN', message: message.slice(-8000) }] });
    expect(idsOf(requestLog).length).toBeLessThan(13);
  });
});

test('headers are the same after they are joined and split', () => {
  const header = fc.tuple(fc.stringMatching(/^[!-~]+$/), fc.stringMatching(/^[\t -~]*$/));
  fc.assert(
    fc.property(fc.array(header), (headers) => {
      expect(splitHeaders(joinHeaders(headers.flat()))).toEqual(headers.flat());
    }),
  );
});
