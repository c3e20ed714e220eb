import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { revokeUserAccess } from '../../../../src/server/auth/revoke-user-access.ts';
import type { TestServer } from '../../../harness.ts';
import { expectRejected } from './callers.ts';
import { completeSecondFactor, logInAs, startWithBob } from './factors/factor-fixtures.ts';
import { readClaims, readRoles } from './login-fixtures.ts';
import { addFactor, fulfill, renew, requestChallenge } from './second-factor.ts';

const hours = 3600;

describe('AUTH-MFA expires', () => {
  test('twelve hours after the second factor, also with renewed tokens', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server, 'bob', { remember: true });
    let { accessToken, refreshToken } = await completeSecondFactor(server, as);
    for (let hour = 0; hour < 11; hour += 1) {
      server.clock.advance(hours);
      ({ accessToken, refreshToken } = (await renew(server, refreshToken)).json);
      expect(readRoles({ accessToken })).toContain('AUTH-MFA');
    }
    server.clock.advance(hours - 1);
    ({ accessToken, refreshToken } = (await renew(server, refreshToken)).json);
    const last = server.as({ token: accessToken });
    const [{ id = '' } = {}] = await addFactor(last);
    server.clock.advance(1);
    const remove = (caller: IamClient) => caller.userIdentities.factors.remove({ params: { id } });
    await expect(remove(last)).rejects.toMatchObject({ status: 403, code: 'ROLE_MISSING' });
    const renewed = (await renew(server, refreshToken)).json;
    expect(readRoles(renewed)).not.toContain('AUTH-MFA');
    expect(readRoles(renewed)).toContain('AUTH-BASIC');
    const again = await completeSecondFactor(server, server.as({ token: renewed.accessToken }));
    await expect(remove(server.as({ token: again.accessToken }))).resolves.toBeUndefined();
  });

  test('in no other session, since it applies only to the session of the second factor', async () => {
    await using server = await startWithBob();
    const [{ as }, other] = [await logInAs(server), await logInAs(server, 'bob', { remember: true })];
    await completeSecondFactor(server, as);
    expect(readRoles((await renew(server, other.refreshToken)).json)).not.toContain('AUTH-MFA');
    await expect(addFactor(other.as)).rejects.toMatchObject({ status: 403 });
  });
});

describe('between the code and its use', () => {
  const between: Record<string, (server: TestServer) => Promise<unknown>> = {
    'a lock': ({ admin }) => admin.userIdentities.lock({ body: { userId: 'bob' } }),
    'a lock and an unlock': async ({ admin }) => {
      await admin.userIdentities.lock({ body: { userId: 'bob' } });
      await admin.userIdentities.unlock({ body: { userId: 'bob' } });
    },
    'a removal': ({ admin }) => admin.userIdentities.remove({ params: { id: 'bob' } }),
  };
  test.each(Object.entries(between))('%s ends the session and voids the code', async (_, change) => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    const challenge = await requestChallenge(server, as);
    await change(server);
    await expectRejected(server, () => fulfill(as, challenge), { status: 401, code: 'TOKEN_INVALID' });
    expect(await server.appContext.store.codes.list()).toEqual([]);
  });

  test('a new password voids the code also in the session that remains', async () => {
    await using server = await startWithBob();
    const { as, accessToken } = await logInAs(server);
    const challenge = await requestChallenge(server, as);
    const sid = String(readClaims({ accessToken }).sid);
    await server.appContext.store.transaction((tx) => revokeUserAccess(tx, 'bob', sid));
    await expect(fulfill(as, challenge)).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
  });

  test('another main e-mail address, set by an administrator, voids the code', async () => {
    await using server = await startWithBob();
    const { as } = await logInAs(server);
    const challenge = await requestChallenge(server, as);
    await server.admin.userIdentities.update({ params: { id: 'bob' }, body: { userEmail: 'other@example.com' } });
    await expect(fulfill(as, challenge)).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    await expect(completeSecondFactor(server, as, 'other@example.com')).resolves.toBeDefined();
  });

  test('the session ends during the request', async () => {
    await using server = await startWithBob();
    const { as, accessToken } = await logInAs(server);
    const challenge = await requestChallenge(server, as);
    endWithin(server, String(readClaims({ accessToken }).sid));
    await expect(fulfill(as, challenge)).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  });
});

/** Ends a session after the next request is authenticated and before its transaction. */
function endWithin({ appContext: { store } }: TestServer, sessionId: string): void {
  const { transaction } = store;
  let first = true;
  Object.assign(store, {
    transaction: async (work: Parameters<typeof transaction>[0]) => {
      if (first) await transaction((tx) => tx.sessions.delete(sessionId));
      first = false;
      return transaction(work);
    },
  });
}
