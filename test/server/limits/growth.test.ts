/** The growth limits of unauthenticated callers: how many objects they may create in an hour, and which callers are exempt. */
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { createGrowthLimits } from '../../../src/server/limits/growth.ts';
import { adminClient, appClientId, createFakeClock, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { basic, password, startWith } from '../operations/user-identities/login-fixtures.ts';

const proxied = { 'trusted-proxies': '127.0.0.0/8' };
const stranger = '203.0.113.9';

interface SignUpRequest {
  readonly from?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: string;
  readonly path?: string;
  readonly body?: object;
}

let contacts = 0;

/** Requests a sign-up code for a new contact: a creation. Returns the status. */
async function signUp(
  server: TestServer,
  { from, headers = {}, at = '', path, body }: SignUpRequest = {},
): Promise<number> {
  contacts += 1;
  const named = headers.Authorization === undefined ? `?clientId=${appClientId}` : '';
  const { status } = await send(server, `${at}${servicePrefix}${path ?? `/user-identities/identification${named}`}`, {
    method: 'POST',
    headers: { ...(from === undefined ? {} : { 'X-Forwarded-For': from }), ...headers },
    body: body ?? { userEmail: `contact${contacts}@example.com` },
  });
  return status;
}

async function statuses(count: number, ask: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let sent = 0; sent < count; sent += 1) all.push(await ask());
  return all;
}

const start = (flags: Record<string, string | boolean> = {}) =>
  startServer({ flags: { ...proxied, 'growth-limit': '3', ...flags } });

describe('an unauthenticated source', () => {
  test('creates 1,000 objects in an hour by default, and as many in the next', async () => {
    await using server = await startServer({ flags: proxied });
    const ask = () =>
      signUp(server, { from: stranger, path: `/user-identities/digital-certificate/token?clientId=${appClientId}` });
    for (let made = 0; made < 998; made += 1) server.appContext.growthLimits.reserve({ network: stranger });
    expect(await statuses(3, ask)).toEqual([201, 201, 429]);
    expect(await signUp(server, { from: '203.0.113.10' })).toBe(201);
    server.clock.advance(3599);
    expect(await ask()).toBe(429);
    server.clock.advance(1);
    expect(await ask()).toBe(201);
  });

  test('is the network: an IPv4 address in any form, a /64 of IPv6', async () => {
    await using server = await start();
    for (const forms of [
      ['203.0.113.9', '::ffff:203.0.113.9', '[::ffff:cb00:7109]:99', '203.0.113.9:4711'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '[2001:DB8:1:2:3::]:80', '2001:db8:1:2::2'],
    ]) {
      const seen = [];
      for (const from of forms) seen.push(await signUp(server, { from }));
      expect(seen).toEqual([201, 201, 201, 429]);
    }
    expect(await signUp(server, { from: '2001:db8:1:3::1' })).toBe(201);
  });

  test('is limited with concurrent requests', async () => {
    await using server = await start();
    const seen = await Promise.all(Array.from({ length: 20 }, () => signUp(server, { from: stranger })));
    expect(seen.filter((status) => status === 201)).toHaveLength(3);
    expect(await server.appContext.store.messages.count()).toBe(3);
  });

  test('is limited in sandboxes, which share the count', async () => {
    await using server = await start();
    const seen = [];
    for (const name of ['one', 'two', 'three'])
      await send(server, '/_iam/sandboxes', { method: 'POST', body: { name } });
    for (const at of ['/s/one', '/s/two', '', '/s/three']) seen.push(await signUp(server, { from: stranger, at }));
    expect(seen).toEqual([201, 201, 201, 429]);
  });

  test('uses nothing for requests that create nothing or that the store rejects', async () => {
    await using server = await start();
    const path = `/user-identities/renew-token?clientId=${appClientId}`;
    const wrong = () => signUp(server, { from: stranger, path, body: { refreshToken: 'none of this server' } });
    expect(await statuses(10, wrong)).toEqual(Array(10).fill(401));
    expect(await statuses(3, () => signUp(server, { from: stranger }))).toEqual([201, 201, 201]);
    const other = '203.0.113.77';
    await using full = await start();
    full.stopWrites();
    expect(await statuses(5, () => signUp(full, { from: other }))).toEqual(Array(5).fill(503));
  });
});

describe('does not apply to', () => {
  const asAdmin = { Authorization: basic(adminClient.clientId, adminClient.clientSecret) };
  const many = 5;

  test('loopback addresses', async () => {
    await using server = await start();
    expect(await statuses(many, () => signUp(server))).toEqual(Array(many).fill(201));
  });

  test('a client that authenticated, by a header or in the body, whatever else its address sent', async () => {
    await using server = await startWith([], { flags: { ...proxied, 'growth-limit': '1' } });
    const from = stranger;
    expect(await signUp(server, { from })).toBe(201);
    expect(await statuses(many, () => signUp(server, { from, headers: asAdmin }))).toEqual(Array(many).fill(201));
    const secret = await server.makeClient({ grantTypes: ['client_credentials', 'password'] });
    const grant = { grantType: 'client_credentials', ...secret };
    const ask = () => signUp(server, { from, path: '/generate-token', body: grant });
    expect(await statuses(many, ask)).toEqual(Array(many).fill(201));
    const { accessToken } = await server.as({ basic: secret }).clientIdentities.login();
    const headers = { Authorization: `Bearer ${accessToken}` };
    const login = { grantType: 'password', userName: 'Alice', password };
    expect(await statuses(2, () => signUp(server, { from, path: '/generate-token', headers, body: login }))).toEqual([
      201, 201,
    ]);
    expect(await signUp(server, { from })).toBe(429);
  });

  test.each([{ 'growth-limit': '0' }, { 'disable-rate-limits': true }])('a server with %o', async (flags) => {
    await using server = await start(flags as Record<string, string | boolean>);
    expect(await statuses(many, () => signUp(server, { from: stranger }))).toEqual(Array(many).fill(201));
  });

  test('the time after a reset', async () => {
    await using server = await start();
    expect(await statuses(4, () => signUp(server, { from: stranger }))).toEqual([201, 201, 201, 429]);
    await server.appContext.state.reset('seed');
    expect(await signUp(server, { from: stranger })).toBe(201);
  });
});

describe('the memory of the limits', () => {
  const createLimits = (clock: ReturnType<typeof createFakeClock>, network: number, capacity?: number) =>
    createGrowthLimits(clock, { network, owner: 0, ownersOfNetwork: 0 }, capacity);

  test('is bounded: beyond the maximum new sources count by hash, none is evicted, and no one uses the limit of another', () => {
    const clock = createFakeClock();
    const limits = createLimits(clock, 2, 3);
    for (const network of ['a', 'b', 'c', 'a', 'b']) limits.reserve({ network });
    limits.reserve({ network: 'd' });
    limits.reserve({ network: 'd' });
    for (const network of ['d', 'a', 'b'])
      expect(() => limits.reserve({ network }), network).toThrow(expect.objectContaining({ code: 'GROWTH_LIMIT' }));
    limits.reserve({ network: 'c' });
    limits.reserve({ network: 'e' });
    clock.advance(2 * 3600);
    for (const network of ['f', 'd', 'a', 'f', 'd', 'a']) limits.reserve({ network });
  });

  test('stores nothing for sources that created nothing', () => {
    const limits = createLimits(createFakeClock(), 1, 1);
    for (let source = 0; source < 10; source += 1) limits.reserve({ network: String(source) })();
    limits.reserve({ network: 'a' });
    limits.reserve({ network: 'b' });
    expect(() => limits.reserve({ network: 'b' })).toThrow();
  });

  test('does not undo a count in a later window', () => {
    const clock = createFakeClock();
    const limits = createLimits(clock, 1);
    const undo = limits.reserve({ network: 'a' });
    clock.advance(3600);
    limits.reserve({ network: 'a' });
    undo();
    expect(() => limits.reserve({ network: 'a' })).toThrow();
  });

  test('does not count entries in the future, after the clock was set back', () => {
    const clock = createFakeClock();
    const limits = createLimits(clock, 1);
    limits.reserve({ network: 'a' });
    clock.advance(-7200);
    limits.reserve({ network: 'a' });
  });
});
