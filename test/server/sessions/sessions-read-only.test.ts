/** While the store is read-only no session is renewed, and an attempt consumes no token. */
import { expect, test } from 'vitest';
import { appClientId } from '../../harness.ts';
import { catchClientError } from '../operations/access.ts';
import { password, startWith } from '../operations/user-identities/login-fixtures.ts';
import { associate, createTokens } from '../operations/user-identities/session-fixtures.ts';

test('requests that write return 503 with Retry-After, and leave the store unchanged', async () => {
  await using server = await startWith([{ userId: 'carol', userName: 'carol' }]);
  const plain = await createTokens(server);
  const bound = await createTokens(server);
  const deviceTokenId = await associate(server, bound);
  const { userIdentities } = server.as({ token: plain.accessToken });
  const { accessToken: token } = await createTokens(server, { userId: 'carol' });
  const { userIdentities: ofCarol } = server.as({ token });
  const { param } = await userIdentities.generateParam({ body: {} });
  const query = { clientId: appClientId };
  const before = await server.dump();
  server.stopWrites();
  const unauthenticated = server.as().userIdentities;
  const remembered = { userName: 'Alice', refreshToken: bound.refreshToken, deviceTokenId };
  const requests = {
    'renew-token': unauthenticated.renewToken({ query, body: { refreshToken: plain.refreshToken } }),
    'remember-me': unauthenticated.rememberMe({ query, body: remembered }),
    'authenticate-by-param': unauthenticated.authenticateByParam({ query, headers: { param } }),
    'generate-param': userIdentities.generateParam({ body: {} }),
    'associate-device': userIdentities.associateDevice({ body: { deviceId: 'phone' } }),
    'change-app': userIdentities.changeApp({ query: { targetClientId: appClientId } }),
    'change-password': userIdentities.changePassword({ body: { password, newPassword: 'a window in the roof' } }),
    'create-password': ofCarol.createPassword({ body: { newPassword: 'a window in the roof' } }),
  };
  const outcomes = Object.entries(requests).map(([what, request]) => ({ what, error: catchClientError(request) }));
  for (const { what, error } of outcomes)
    expect(await error, what).toMatchObject({
      status: 503,
      code: 'STORE_UNAVAILABLE',
      retryAfter: 5,
    });
  expect(await server.dump()).toEqual(before);
  await expect(userIdentities.renovateToken()).resolves.toMatchObject({ scope: ['READ', 'WRITE'] });
});
