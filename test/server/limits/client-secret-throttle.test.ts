/** Wrong client secrets: a right one is accepted whatever failed before, and other callers cannot lock a client. */
import { describe, expect, test } from 'vitest';
import { authenticateClient } from '../../../src/server/auth/authenticate.ts';
import { createMonotonicClock } from '../../../src/server/lib/monotonic-clock.ts';
import { createClientSecretThrottle } from '../../../src/server/limits/throttles.ts';
import { adminClient, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import {
  formatBasicHeader,
  groupsPath,
  invalidCredentials,
  loginPath,
  loginWithHeaders,
  sendWithHeaders,
} from '../auth/auth-requests.ts';
import { buildHead, exchange } from '../http/raw-http.ts';
import { forwardedFrom, withProxy } from '../operations/user-identities/sources.ts';

const minutes = (count: number) => count * 60;
const remote = (key: string) => ({ key, isLoopback: false });

function throttleOf(capacity?: number) {
  const clock = createFakeClock();
  const throttle = createClientSecretThrottle(createMonotonicClock(clock), capacity);
  return {
    clock,
    throttle,
    fail(times: number, key = '192.0.2.1') {
      for (let time = 0; time < times; time += 1) throttle.recordFailure(remote(key));
    },
    /** Retry-After in seconds of a wrong secret from this source; 0 where it is only wrong. It counts. */
    wait(key = '192.0.2.1'): number {
      try {
        throttle.recordFailure(remote(key));
        return 0;
      } catch (error) {
        expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
        return Number((error as { headers: Record<string, string> }).headers['Retry-After']);
      }
    },
  };
}

describe('wrong secrets from one source', () => {
  test('are throttled from the 1,001st on, until 15 minutes after the first', () => {
    const { clock, fail, wait } = throttleOf();
    fail(999);
    expect([wait(), wait(), wait('192.0.2.2')]).toEqual([0, minutes(15), 0]);
    clock.advance(minutes(15) - 1);
    expect(wait()).toBe(1);
    clock.advance(1);
    expect(wait()).toBe(0);
  });

  test('are never throttled on this machine', () => {
    const { throttle } = throttleOf();
    for (let time = 0; time < 5000; time += 1) throttle.recordFailure({ key: '127.0.0.1', isLoopback: true });
  });

  test('count by a hash of the source where the memory is full, so that no source uses the limit of another', () => {
    const { clock, fail, wait } = throttleOf(3);
    for (const known of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) fail(1, known);
    fail(255, '203.0.113.1');
    expect(wait('203.0.113.1')).toBeGreaterThan(0);
    for (let source = 0; source < 250; source += 1) fail(1, `198.51.100.${source}`);
    expect([wait('203.0.113.2'), wait('192.0.2.1')]).toEqual([0, 0]);
    clock.advance(minutes(30));
    expect(wait('203.0.113.1')).toBe(0);
  });

  test('do not wait longer after the clock was set back, and a reset clears them', () => {
    const { clock, fail, throttle, wait } = throttleOf();
    fail(1000);
    clock.advance(-minutes(100_000));
    expect(wait()).toBe(minutes(15));
    clock.advance(minutes(15));
    expect(wait()).toBe(0);
    fail(999);
    throttle.reset();
    expect(wait()).toBe(0);
  });
});

describe('at the service', () => {
  const batchSize = 50;
  const wrong = (clientId: string) => formatBasicHeader(clientId, 'wrong');

  /** A multiple of 50. */
  async function guess(server: TestServer, clientId: string, times: number, lines: readonly string[] = []) {
    const one = buildHead(
      `POST ${loginPath} HTTP/1.1`,
      'Host: localhost',
      'Content-Length: 0',
      wrong(clientId),
      ...lines,
    );
    const last = buildHead(
      `POST ${loginPath} HTTP/1.1`,
      'Host: localhost',
      'Content-Length: 0',
      'Connection: close',
      wrong(clientId),
      ...lines,
    );
    const statuses: number[] = [];
    // One connection accepts a limited number of requests at once.
    for (let sent = 0; sent < times; sent += batchSize)
      statuses.push(...(await exchange(server, one.repeat(batchSize - 1) + last)).map(({ status }) => status));
    return statuses;
  }

  /** Counts wrong secrets as requests do, without the requests. */
  async function countFailures({ appContext }: TestServer, name: string, times: number, address = '192.0.2.66') {
    const source = { address, network: address, key: address, isLoopback: address.startsWith('127.') };
    for (let time = 0; time < times; time += 1)
      await expect(authenticateClient(appContext, { name, secret: 'wrong' }, source)).rejects.toMatchObject({
        code: 'CREDENTIALS_INVALID',
      });
  }

  test('ten or a thousand wrong secrets do not affect a client with the right one', async () => {
    await using server = await startServer(withProxy());
    const { clientId, clientSecret } = await server.makeClient();
    const right = formatBasicHeader(clientId, clientSecret);
    const stranger = 'X-Forwarded-For: 192.0.2.66';
    const owner = 'X-Forwarded-For: 192.0.2.1';
    await countFailures(server, clientId, 950);
    expect(await guess(server, clientId, 50, [stranger])).toEqual(Array(50).fill(401));
    for (const line of [stranger, owner]) {
      expect(await loginWithHeaders(server, [right, line])).toMatchObject({ status: 200 });
      expect(await sendWithHeaders(server, [right, line])).toMatchObject({ status: 403 });
    }
    expect(await loginWithHeaders(server, [wrong(clientId), owner])).toEqual(invalidCredentials);
    for (const id of [clientId, 'unknown'])
      for (const request of [loginWithHeaders, sendWithHeaders])
        expect(await request(server, [wrong(id), stranger])).toMatchObject({ status: 429, code: 'TOO_MANY_ATTEMPTS' });
  });

  test('the throttled response is the same for an unknown client, and names the setting that disables it', async () => {
    await using server = await startServer(withProxy());
    const { clientId } = await server.makeClient();
    await countFailures(server, clientId, 1000);
    const responses = await Promise.all(
      [clientId, 'unknown'].map(async (id) => {
        const authorization = wrong(id).slice('Authorization: '.length);
        const headers = { ...forwardedFrom('192.0.2.66'), authorization };
        const response = await fetch(`${server.url}${groupsPath}`, { headers });
        const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(response.headers);
        return { status: response.status, text: await response.text(), rest };
      }),
    );
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[0]).toMatchObject({ status: 429, rest: { 'retry-after': String(minutes(15)) } });
    expect(responses[0]?.text).toContain('--disable-rate-limits');
  });

  test('no wrong secret is throttled on this machine, or with disable-rate-limits', async () => {
    await using here = await startServer();
    await using free = await startServer(withProxy({ flags: { 'disable-rate-limits': true } }));
    for (const [server, address, lines] of [
      [here, '127.0.0.1', []],
      [free, '192.0.2.66', ['X-Forwarded-For: 192.0.2.66']],
    ] as const) {
      await countFailures(server, adminClient.clientId, 1000, address);
      expect(await guess(server, adminClient.clientId, 50, lines)).toEqual(Array(50).fill(401));
    }
  });

  test('concurrent wrong secrets count one by one, and all right secrets among them are accepted', async () => {
    await using server = await startServer();
    const { clientId, clientSecret } = await server.makeClient();
    const source = { address: '192.0.2.66', network: '192.0.2.66', key: '192.0.2.66', isLoopback: false };
    const attempt = (at: number) =>
      authenticateClient(
        server.appContext,
        { name: clientId, secret: at % 2 === 0 ? clientSecret : 'wrong' },
        source,
      ).then(
        () => 'right',
        (error: { code: string }) => error.code,
      );
    const outcomes: string[] = [];
    // As many at once as a database answers in time on a busy machine.
    while (outcomes.length < 3000)
      outcomes.push(...(await Promise.all(Array.from({ length: 500 }, (_, at) => attempt(at)))));
    const number = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    expect(['right', 'CREDENTIALS_INVALID', 'TOO_MANY_ATTEMPTS'].map(number)).toEqual([1500, 1000, 500]);
  });
});
