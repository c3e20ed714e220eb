/** What a service can do with a token that a user reduced for it: nothing that outlasts the token. */
import { expect, test } from 'vitest';
import type { Operation } from '../../../src/contract/operation.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { appClientId, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { alice, postJson, startWith } from '../operations/user-identities/login-fixtures.ts';
import { createTokens, renew } from '../operations/user-identities/session-fixtures.ts';

const prefix = '/security/iam/v1';
const me = '/user-identities/me';

/** Those of the user itself that accept every token, and why. */
const accepting: Readonly<Record<string, string>> = {
  'user-identities.access-token': 'reduces the token further',
  'user-identities.renovate-token': 'issues the same token again',
  'user-identities.change-app': 'starts a session that is reduced, too',
  'user-identities.generate-param': 'leads to a session that is reduced, too',
  'user-identities.leverage-mfa': 'sends a code to the user',
  'user-identities.fulfill-mfa': 'takes that code',
  'user-identities.grant-auth-smart': 'takes a value that the user has',
  'user-identities.factors.send-token': 'sends a code to the user',
  'user-identities.factors.validate-token': 'takes that code',
};

const all: readonly Operation<never>[] = Object.values(operations);
const ofUser = all.filter(
  ({ id, path, audit }) =>
    audit.kind !== 'read' && (path.startsWith(`${me}/`) || id.startsWith('my-client-identities.')),
);

/** Of a service, and of what it led to in another client. */
async function reduceTokens(server: TestServer): Promise<readonly string[]> {
  const { accessToken } = await createTokens(server, { level: 'AUTH-MFA' });
  const { accessToken: narrow } = await server.as({ token: accessToken }).userIdentities.accessToken({
    body: { scope: ['READ'] },
  });
  const service = server.as({ token: narrow }).userIdentities;
  const moved = await service.changeApp({ query: { targetClientId: 'shop' }, body: {} });
  const { param } = await service.generateParam({ body: {} });
  const redeemed = await postJson(server, '/user-identities/auth-legacy-by-param?clientId=shop', {}, { param });
  const { accessToken: derived } = redeemed.json as { accessToken: string };
  const again = await server
    .as({ token: derived })
    .userIdentities.changeApp({ query: { targetClientId: appClientId }, body: {} });
  return [narrow, moved.accessToken, derived, again.accessToken];
}

test('every operation that changes what a user logs in with requires a whole token', async () => {
  const open = ofUser.filter(({ needsWholeToken }) => !needsWholeToken).map(({ id }) => id);
  expect(open.sort()).toEqual(Object.keys(accepting).sort());
  await using server = await startWith();
  await server.makeClient({ clientId: 'shop', scope: ['READ', 'BUY'] });
  const tokens = await reduceTokens(server);
  const before = await server.dump();
  for (const { method, path } of all.filter(({ needsWholeToken }) => needsWholeToken))
    for (const token of tokens) {
      const response = await server
        .as({ token })
        .raw(method, `${prefix}${path.replaceAll(/\{\w+\}/g, 'x')}`, { body: {} });
      expect([path, (response.body as readonly unknown[])[0]]).toMatchObject([path, { code: 'TOKEN_NARROWED' }]);
    }
  expect(await server.dump()).toEqual(before);
});

test('the owner of a client changes it with a whole token', async () => {
  await using server = await startWith([], { flags: { host: '0.0.0.0', 'allow-remote': true } });
  await server.makeClient({ clientId: 'shop', scope: ['READ'] });
  await server.makeClient({ clientId: 'own', party: '3RDPARTY', userId: alice.userId, scope: [] });
  const requests: readonly [string, string, object][] = [
    ['PATCH', '/_iam/clients/own', { appId: 'renamed' }],
    ['POST', '/_iam/clients/own/rotate-secret', {}],
  ];
  const [narrow] = await reduceTokens(server);
  const { accessToken: whole } = await createTokens(server);
  for (const [method, path, body] of requests) {
    const refused = await server.as({ token: narrow ?? '' }).raw(method, path, { body });
    expect(refused).toMatchObject({ status: 403, body: [{ code: 'TOKEN_NARROWED' }] });
    expect((await server.as({ token: whole }).raw(method, path, { body })).status).toBe(200);
  }
});

test('a token that was asked for without scope is for nothing that its client or another one has', async () => {
  await using server = await startWith();
  await server.makeClient({ clientId: 'empty', scope: [] });
  await server.makeClient({ clientId: 'shop', scope: ['READ', 'BUY'] });
  const { accessToken } = await createTokens(server, { clientId: 'empty' });
  const narrow = await server.as({ token: accessToken }).userIdentities.accessToken({ body: { scope: [] } });
  const moved = await server
    .as({ token: narrow.accessToken })
    .userIdentities.changeApp({ query: { targetClientId: 'shop' }, body: {} });
  expect([moved.scope, moved.refreshToken]).toEqual([[], undefined]);
});

test.each(['/_iam/revoke', '/oauth2/revoke'])('a revoked one ends alone at %s, and not the login', async (path) => {
  await using server = await startWith();
  const { accessToken, refreshToken } = await createTokens(server);
  const issue = () => server.as({ token: accessToken }).userIdentities.accessToken({ body: { scope: ['READ'] } });
  const [revoked, other] = [await issue(), await issue()];
  const body = path.startsWith('/_iam')
    ? { token: revoked.accessToken }
    : new URLSearchParams({ token: revoked.accessToken, client_id: appClientId });
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body: body instanceof URLSearchParams ? body : JSON.stringify(body),
    headers: body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  const statusOf = async (token: string) =>
    (await server.as({ token }).raw('POST', `${prefix}${me}/renovate-token`)).status;
  expect(await Promise.all([revoked.accessToken, other.accessToken, accessToken].map(statusOf))).toEqual([
    401, 201, 201,
  ]);
  expect(await renew(server, refreshToken)).toBeDefined();
});

test('a refresh token that was used ends nothing for a caller that is not its client', async () => {
  await using server = await startWith();
  const { refreshToken } = await createTokens(server);
  const renewed = await renew(server, refreshToken);
  await send(server, '/_iam/revoke', { method: 'POST', body: { token: refreshToken } });
  expect(await renew(server, renewed?.refreshToken)).toBeDefined();
});
