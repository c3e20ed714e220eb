/** The end of a user's sessions revokes everything that was issued from them, with the next request. */
import { describe, expect, test } from 'vitest';
import { appClientId, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { isAccepted, postFields, revokePath } from '../oauth/oauth-requests.ts';
import { alice, postForm, postJson, readClaims, startWith } from '../operations/user-identities/login-fixtures.ts';
import { rememberMe } from '../operations/user-identities/remember-me-fixtures.ts';
import {
  associate,
  createTokens,
  renew,
  sessionEndings,
  type Tokens,
} from '../operations/user-identities/session-fixtures.ts';

type Use = () => Promise<boolean>;

const redeemAt = `/user-identities/auth-legacy-by-param?clientId=${appClientId}`;

/** Everything that one login can lead to. Each entry returns whether it is still valid. */
async function everything(server: TestServer): Promise<Record<string, Use>> {
  await server.makeClient({ clientId: 'shop', scope: ['READ'] });
  const isAccepted = async (accessToken: string) =>
    server
      .as({ token: accessToken })
      .userIdentities.renovateToken()
      .then(
        () => true,
        (error: { code?: string }) => {
          expect(error.code).toBe('TOKEN_INVALID');
          return false;
        },
      );
  const [plain, bound, moved] = [await createTokens(server), await createTokens(server), await createTokens(server)];
  const as = (token: { accessToken: string }) => server.as({ token: token.accessToken }).userIdentities;
  const narrow = await as(plain).accessToken({ body: { scope: ['READ'] } });
  const fresh = await as(plain).renovateToken();
  const deviceTokenId = await associate(server, bound);
  const there = await as(moved).changeApp({ query: { targetClientId: 'shop' }, body: {} });
  const params = [await as(plain).generateParam({ body: {} }), await as(plain).generateParam({ body: {} })];
  const redeemed = await postJson(server, redeemAt, {}, { param: params[0]?.param ?? '' });
  const oauth = { grant_type: 'refresh_token', client_id: appClientId };
  return {
    'an access token': () => isAccepted(plain.accessToken),
    'a narrowed token': () => isAccepted(narrow.accessToken),
    'a renovated token': () => isAccepted(fresh.accessToken),
    'the token of a session on a device': () => isAccepted(bound.accessToken),
    'the token of another application': () => isAccepted(there.accessToken),
    'the token of the application before': () => isAccepted(moved.accessToken),
    'the token of a redeemed value': () => isAccepted((redeemed.json as { accessToken: string }).accessToken),
    'a value to be redeemed': async () =>
      (await postJson(server, redeemAt, {}, { param: params[1]?.param ?? '' })).status === 200,
    'a refresh token': async () => (await renew(server, plain.refreshToken)) !== undefined,
    'a refresh token of another application': async () =>
      (await renew(server, there.refreshToken, 'shop')) !== undefined,
    'a refresh token on its device': async () =>
      (await rememberMe(server, { userName: 'Alice', refreshToken: bound.refreshToken, deviceTokenId })) !== undefined,
    'a refresh token by generate-token': async () => {
      const { refreshToken } = plain;
      const body = { grantType: 'refresh_token', clientId: appClientId, refreshToken };
      return (await postJson(server, '/generate-token', body)).status === 201;
    },
    'a refresh token by connect/token': async () =>
      (await postForm(server, { ...oauth, refresh_token: plain.refreshToken })).status === 200,
  };
}

/** Uses of one refresh token: a second use would end the session. */
const usedAlready = ['a refresh token by generate-token', 'a refresh token by connect/token'];

test('each of them is valid before', async () => {
  await using server = await startWith();
  for (const [what, use] of Object.entries(await everything(server)))
    if (!usedAlready.includes(what)) expect(await use(), what).toBe(true);
});

const endingsOfAllSessions = Object.entries(sessionEndings).filter(([what]) => !what.includes('its'));

describe('revokes everything', () => {
  test.each(endingsOfAllSessions)('after %s', async (_what, end) => {
    await using server = await startWith();
    const uses = await everything(server);
    await end(server, await createTokens(server));
    for (const [what, use] of Object.entries(uses)) expect(await use(), what).toBe(false);
    expect(await server.appContext.store.sessions.count()).toBe(0);
    expect(await server.appContext.store.refreshTokens.count()).toBe(0);
    expect(await server.appContext.store.tickets.count()).toBe(0);
  });
});

test.each<[string, (server: TestServer, token: Tokens) => Promise<unknown>]>([
  [
    'a second use of its refresh token',
    async (server, { refreshToken }) => {
      await renew(server, refreshToken);
      await renew(server, refreshToken);
    },
  ],
  [
    'its revocation',
    (server, { accessToken }) => postFields(server, revokePath, { token: accessToken, client_id: appClientId }),
  ],
  [
    'its end by an administrator',
    async (server, { accessToken }) => {
      const { sid } = readClaims({ accessToken });
      const ended = await send(server, `/_iam/sessions?sessionId=${sid}`, { method: 'DELETE' });
      expect(ended.body).toEqual({ ended: 3, applications: 2 });
    },
  ],
])('a session ends with those that its token started: %s', async (_what, end) => {
  await using server = await startWith();
  await server.makeClient({ clientId: 'shop' });
  const first = await createTokens(server);
  const startAnother = async ({ accessToken }: { readonly accessToken: string }) => {
    const { param } = await server.as({ token: accessToken }).userIdentities.generateParam({ body: {} });
    return (await postJson(server, '/user-identities/auth-legacy-by-param?clientId=shop', {}, { param }))
      .json as Tokens;
  };
  const second = await startAnother(first);
  const third = await startAnother(second);
  const other = await startAnother(await createTokens(server));
  await end(server, first);
  for (const { accessToken } of [second, third]) expect(await isAccepted(server, accessToken)).toBe(false);
  expect(await isAccepted(server, other.accessToken)).toBe(true);
});

test('an unlocked user logs in again, with its devices', async () => {
  await using server = await startWith();
  const deviceTokenId = await associate(server, await createTokens(server));
  const userId = alice.userId;
  await server.admin.userIdentities.lock({ body: { userId } });
  await server.admin.userIdentities.unlock({ body: { userId } });
  const { refreshToken } = await createTokens(server);
  expect(await rememberMe(server, { userName: 'Alice', refreshToken, deviceTokenId })).toBeDefined();
});

test('the removal of a client ends what was transferred to it, and the tokens of the former client', async () => {
  await using server = await startWith();
  await server.makeClient({ clientId: 'shop', serviceAccountId: 'shop-service' });
  const first = await createTokens(server);
  await server
    .as({ token: first.accessToken })
    .userIdentities.changeApp({ query: { targetClientId: 'shop' }, body: {} });
  await server.admin.clientIdentities.remove({ params: { serviceAccountId: 'shop-service' } });
  await expect(server.as({ token: first.accessToken }).userIdentities.renovateToken()).rejects.toMatchObject({
    code: 'TOKEN_INVALID',
  });
});
