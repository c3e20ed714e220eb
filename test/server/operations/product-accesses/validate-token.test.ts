import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { servicePrefix } from '../../../../src/contract/prefix.ts';
import { epochSeconds } from '../../../../src/server/lib/clock.ts';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import { sharedServer } from '../access.ts';
import { asUser, userToken } from '../user-token.ts';
import { opaqueTokens, products, reports, startWithProducts } from './products.ts';

const input = { ...reports, billingType: 'SUBSCRIPTION' } as const;

function validate(caller: IamClient, more: object = {}) {
  return caller.productAccesses.validateToken({ body: { ...input, ...more } });
}

test('returns 204 without a body, the token in a header, and Cache-Control: no-store', async () => {
  await using server = await startWithProducts();
  const authorization = `Bearer ${await userToken(server, { userId: 'u1' })}`;
  const response = await fetch(`${server.url}${servicePrefix}/product-accesses/validate-token`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const token = response.headers.get('x-opaque-token') ?? '';
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(await opaqueTokens(server)).toEqual([
    {
      tokenHash: hashSecret(token),
      userId: 'u1',
      clientId: appClientId,
      productId: 'reports-basic',
      billingType: 'SUBSCRIPTION',
      expiresAt: epochSeconds(server.clock) + 3600,
    },
  ]);
  expect(server.log.join('')).not.toContain(token);
});

test('issues a new token for each request; the client returns it as an object', async () => {
  await using server = await startWithProducts();
  const caller = await asUser(server);
  const tokens = await Promise.all(Array.from({ length: 100 }, () => validate(caller)));
  expect(tokens[0]).toEqual({ opaqueToken: expect.any(String) });
  expect(new Set(tokens.map(({ opaqueToken }) => opaqueToken)).size).toBe(100);
  const stored = JSON.stringify(await server.dump());
  for (const { opaqueToken } of tokens) expect(stored).not.toContain(opaqueToken);
});

test.each([
  [{ roles: ['BUSINESSADMIN'], businessId: 'b1' }, true],
  [{ roles: ['BUSINESSOWNER'], businessId: 'b1' }, false],
  [{ businessId: 'b1' }, false],
  [{}, true],
  [{ lead: true }, true],
])('accepts only individual users and administrators of a business: %j', async (user, isAccepted) => {
  await using server = await startWithProducts();
  const request = validate(await asUser(server, user));
  if (isAccepted) await expect(request).resolves.toBeDefined();
  else await expect(request).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
});

describe('rejects without issuing a token:', () => {
  const shared = sharedServer(startWithProducts);

  test.each<[object, object]>([
    [
      { sku: 'unknown', billingType: 'EXPEND' },
      { status: 404, code: 'PRODUCT_NOT_FOUND' },
    ],
    [{ billingType: 'PREPAID' }, { status: 403, code: 'BILLING_TYPE_NOT_SOLD' }],
    [{ billingType: 'EXPEND' }, { status: 501, code: 'BILLING_TYPE_UNSUPPORTED' }],
  ])('%j', async (more, failure) => {
    const server = shared();
    const caller = await asUser(server);
    const before = await server.dump();
    await expect(validate(caller, more)).rejects.toMatchObject(failure);
    expect(await server.dump()).toEqual(before);
  });

  test('requests while the product system is unavailable', async () => {
    await using server = await startServer({ flags: { 'products-url': 'http://127.0.0.1:1' } });
    const caller = await asUser(server);
    await expect(validate(caller)).rejects.toMatchObject({ status: 503, code: 'PRODUCT_SYSTEM_UNAVAILABLE' });
    expect(await opaqueTokens(server)).toEqual([]);
  });
});

/** Runs a change while the product system processes the request. */
function runDuringValidation(server: TestServer, change: () => Promise<unknown>): void {
  const { find } = server.appContext.productSystem;
  const delayed: typeof find = async (...args) => {
    await change();
    return find(...args);
  };
  Object.assign(server.appContext, { productSystem: { find: delayed } });
}

test.each(['user is locked', 'user is removed', 'session ends'])(
  'issues no token if the %s during the request to the product system',
  async (event) => {
    await using server = await startWithProducts();
    const caller = await asUser(server, { userId: 'u1' });
    runDuringValidation(server, async () => {
      if (event === 'user is locked') return server.admin.userIdentities.lock({ body: { userId: 'u1' } });
      if (event === 'user is removed') return server.admin.userIdentities.remove({ params: { id: 'u1' } });
      return server.appContext.store.transaction(async (tx) => {
        for (const { sessionId } of await tx.sessions.list()) await tx.sessions.delete(sessionId);
      });
    });
    await expect(validate(caller)).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
    expect(await opaqueTokens(server)).toEqual([]);
  },
);

test('deletes the tokens of a user who is locked or removed', async () => {
  await using server = await startWithProducts();
  for (const [userId, endAccess] of [
    ['u1', () => server.admin.userIdentities.lock({ body: { userId: 'u1' } })],
    ['u2', () => server.admin.userIdentities.remove({ params: { id: 'u2' } })],
  ] as const) {
    await validate(await asUser(server, { userId }));
    expect(await opaqueTokens(server)).toHaveLength(1);
    await endAccess();
    expect(await opaqueTokens(server)).toEqual([]);
  }
});

test('deletes expired tokens when new ones are issued', async () => {
  await using server = await startWithProducts();
  const first = await asUser(server);
  for (let count = 0; count < 5; count += 1) await validate(first);
  server.clock.advance(3600);
  const caller = await asUser(server);
  for (let count = 0; count < 5; count += 1) await validate(caller);
  expect(await opaqueTokens(server)).toHaveLength(5);
});

test('rejects every billing type of a product without billing types', async () => {
  await using server = await startWithProducts();
  const gift = products.find(({ productId }) => productId === 'gift');
  const giftInput = { productAlias: gift?.productAlias, sku: gift?.sku };
  await expect(validate(await asUser(server), giftInput)).rejects.toMatchObject({ code: 'BILLING_TYPE_NOT_SOLD' });
});
