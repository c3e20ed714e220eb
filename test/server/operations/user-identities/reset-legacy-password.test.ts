import { describe, expect, test } from 'vitest';
import type { ClientError } from '../../../../src/client/index.ts';
import { apiError } from '../../../../src/contract/errors.ts';
import { internalFlow } from '../../../../src/server/limits/hash-queue.ts';
import { appClientId, startServer, type TestServer } from '../../../harness.ts';
import { createWrongCode, lastCode } from '../otp-inbox.ts';
import { giveRoles, listRoles, logIn, postJson, readClaims } from './login-fixtures.ts';
import {
  afterMainframeRequest,
  createLogonClient,
  dora,
  interruptions,
  logInLegacy,
  logonPassword,
  mobiles,
  replaceMainframe,
  retrieve,
  startWithLogons,
  stopMainframe,
} from './logon-fixtures.ts';

const newPassword = 'NEW#PW1';
const target = `/user-identities/reset-legacy-password?clientId=${appClientId}`;
const rejected = { status: 401, code: 'PROOF_INVALID' };

interface Reset {
  readonly logon: string;
  readonly token: string;
  readonly hash: string;
  readonly newPassword?: string;
}

function reset(server: TestServer, fields: Reset) {
  return server.as().userIdentities.resetLegacyPassword({
    query: { clientId: appClientId },
    body: { newPassword, ...fields },
  });
}

/** Requests a code for a logon and returns it with the other fields of a reset. */
async function startReset(server: TestServer, logon: keyof typeof mobiles): Promise<Reset> {
  const { hash } = await retrieve(server, logon);
  return { logon, hash, token: await lastCode(server, mobiles[logon]) };
}

describe('with the correct code', () => {
  test('an unbound logon gets its password and a session that can be renewed', async () => {
    await using server = await startWithLogons();
    const token = await reset(server, { ...(await startReset(server, 'FREE1')), logon: 'free1' });
    expect(token).toMatchObject({ tokenType: 'Bearer', refreshToken: expect.any(String), expiresIn: '3600' });
    expect(readClaims(token)).toMatchObject({ sub: 'logon:FREE1', logon: 'FREE1' });
    await expect(logInLegacy(server, 'FREE1', { secret: newPassword })).resolves.toBeDefined();
    await expect(logInLegacy(server, 'FREE1')).rejects.toMatchObject({ status: 401 });
  });

  test('a bound logon signs its user in, whose own password does not change', async () => {
    await using server = await startWithLogons();
    const token = await reset(server, await startReset(server, 'DORA1'));
    expect(readClaims(token)).toMatchObject({ sub: dora.userId, logon: 'DORA1' });
    expect(readClaims(token).authorities).toContain('ROLE_AUTH-BASIC');
    expect(readClaims(token).authorities).not.toContain('ROLE_AUTH-MFA');
    await expect(logIn(server, { name: 'dora' })).resolves.toBeDefined();
  });

  test('all earlier sessions end', async () => {
    await using server = await startWithLogons();
    const token = async () => (await logIn(server, { name: 'dora' })).accessToken;
    const [byPassword, byLogon] = [server.as({ token: await token() }), await createLogonClient(server, 'DORA1')];
    const unbound = await createLogonClient(server, 'FREE1');
    await reset(server, await startReset(server, 'DORA1'));
    await reset(server, await startReset(server, 'FREE1'));
    for (const caller of [byPassword, byLogon, unbound])
      await expect(caller.userIdentities.get({ params: { id: dora.userId } })).rejects.toMatchObject({
        code: 'TOKEN_INVALID',
      });
    expect(await server.appContext.store.sessions.count()).toBe(2);
  });

  test('the code works once', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    await reset(server, pending);
    await expect(reset(server, pending)).rejects.toMatchObject(rejected);
  });

  test('one of 100 concurrent requests succeeds', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    const set: string[] = [];
    const { setPassword } = server.appContext.mainframe;
    replaceMainframe(server, {
      setPassword: (logon, password, flow) => {
        set.push(password);
        return setPassword(logon, password, flow);
      },
    });
    const attempts = Array.from({ length: 100 }, (_, at) => reset(server, { ...pending, newPassword: `NEW${at}##` }));
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const statuses = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.status] : []));
    expect([...new Set(statuses)].filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(set).toHaveLength(1);
    expect(await server.appContext.store.sessions.count()).toBe(1);
    await expect(logInLegacy(server, 'FREE1', { secret: set[0] })).resolves.toBeDefined();
  });
});

describe('rejects', () => {
  test('a wrong code, hash or logon with the same error, and counts up to five for each logon', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    const seen: object[] = [];
    for (const wrong of [
      { token: createWrongCode(pending.token) },
      { token: '' },
      { hash: 'another' },
      { hash: (await startReset(server, 'DORA1')).hash },
      { logon: 'UNKNOWN' },
      { logon: 'BARE1' },
    ]) {
      const { status, text, headers } = await postJson(server, target, { newPassword, ...pending, ...wrong });
      seen.push({ status, text, headers });
    }
    expect(seen).toEqual(seen.map(() => seen[0]));
    expect(seen[0]).toMatchObject({ status: 401, text: expect.stringContaining('PROOF_INVALID') });
    await expect(reset(server, pending)).resolves.toBeDefined();
  });

  test.each(['FREE1', 'UNKNOWN'] as const)(
    'codes for an hour after five wrong ones, also new codes: %s',
    async (logon) => {
      await using server = await startWithLogons();
      await retrieve(server, logon);
      for (let count = 0; count < 5; count += 1)
        await expect(reset(server, { logon, token: 'wrong', hash: 'wrong' })).rejects.toMatchObject(rejected);
      const { hash } = await retrieve(server, logon);
      const token = logon === 'FREE1' ? await lastCode(server, mobiles.FREE1) : '000000';
      const throttled = { status: 429, code: 'CODE_FAILURES', retryAfter: 3600 };
      await expect(reset(server, { logon, token, hash })).rejects.toMatchObject(throttled);
      server.clock.advance(3600);
      await expect(reset(server, { logon, token, hash })).rejects.toMatchObject(rejected);
    },
  );

  test('codes for another purpose or another logon', async () => {
    await using server = await startWithLogons();
    const resetOfDora = await startReset(server, 'DORA1');
    const free = await startReset(server, 'FREE1');
    await expect(reset(server, { ...resetOfDora, logon: 'FREE1' })).rejects.toMatchObject(rejected);
    await expect(reset(server, { ...free, logon: 'DORA1' })).rejects.toMatchObject(rejected);
    const alice = server.as({ token: (await logIn(server)).accessToken });
    const { challengeId } = await alice.userIdentities.associateLegacyByMobile({ body: { logon: 'FREE1' } });
    const token = await lastCode(server, mobiles.FREE1);
    await expect(reset(server, { logon: 'FREE1', token, hash: challengeId })).rejects.toMatchObject(rejected);
  });

  test('the correct guess of a code for a logon without contacts', async () => {
    await using server = await startWithLogons();
    const { hash } = await retrieve(server, 'BARE1');
    const { storeSecret, store } = server.appContext;
    const token = '123456';
    await store.transaction(async (tx) => {
      const row = await tx.codes.get(hash);
      if (row) await tx.codes.replace({ ...row, codeHash: storeSecret.digest('code', `${hash}:${token}`) });
    });
    await expect(reset(server, { logon: 'BARE1', token, hash })).rejects.toMatchObject(rejected);
    await expect(logInLegacy(server, 'BARE1')).resolves.toBeDefined();
  });
});

describe('a password that the mainframe rejects', () => {
  test.each(['', 'short', 'TOOLONG##', 'BLANK 1', 'NEW#PW1\n', 'ÄÖÜ#123'])(
    'returns 422, and the code stays valid: %j',
    async (weak) => {
      await using server = await startWithLogons();
      const pending = await startReset(server, 'FREE1');
      const before = await server.dump();
      await expect(reset(server, { ...pending, newPassword: weak })).rejects.toMatchObject({
        status: 422,
        code: 'PASSWORD_NOT_FOR_MAINFRAME',
      });
      expect(await server.dump()).toEqual(before);
      await expect(reset(server, pending)).resolves.toBeDefined();
    },
  );

  test('is not revealed before the code is correct', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    const wrong = { ...pending, token: createWrongCode(pending.token), newPassword: 'weak' };
    await expect(reset(server, wrong)).rejects.toMatchObject(rejected);
  });

  test('follows the setting, which matches the whole password', async () => {
    await using server = await startWithLogons({ flags: { 'mainframe-password-rule': 'a|[0-9]{4}' } });
    const pending = await startReset(server, 'FREE1');
    for (const weak of ['ab', '12345', 'x1234'])
      await expect(reset(server, { ...pending, newPassword: weak })).rejects.toMatchObject({ status: 422 });
    await expect(reset(server, { ...pending, newPassword: '1234' })).resolves.toBeDefined();
  });

  test('may be rejected by the mainframe alone', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    const before = replaceMainframe(server, {
      setPassword: async () => {
        throw apiError('PASSWORD_NOT_FOR_MAINFRAME');
      },
    });
    await expect(reset(server, pending)).rejects.toMatchObject({ status: 422 });
    replaceMainframe(server, before);
    await expect(reset(server, pending)).resolves.toBeDefined();
  });
});

describe('a token that would be too long', () => {
  const tooLong = { status: 400, code: 'TOKEN_TOO_LONG' };

  test('is rejected before the password changes, and the code stays valid', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'DORA1');
    await giveRoles(server, listRoles(1000), dora.userId);
    const before = await server.dump();
    await expect(reset(server, pending)).rejects.toMatchObject(tooLong);
    expect(await server.dump()).toEqual(before);
    expect(await server.appContext.mainframe.verify('DORA1', logonPassword, internalFlow)).toBe(true);
  });

  test('because of roles that were added during the request to the mainframe: all sessions end', async () => {
    await using server = await startWithLogons();
    await createLogonClient(server, 'DORA1');
    const pending = await startReset(server, 'DORA1');
    afterMainframeRequest(server, 'setPassword', () => giveRoles(server, listRoles(1000), dora.userId));
    await expect(reset(server, pending)).rejects.toMatchObject(tooLong);
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });
});

describe('a mainframe that does not respond', () => {
  test('returns 503, ends no session, and the code stays valid', async () => {
    await using server = await startWithLogons();
    const user = await createLogonClient(server, 'DORA1');
    const pending = await startReset(server, 'DORA1');
    const before = await server.dump();
    const restoreMainframe = stopMainframe(server);
    for (let count = 0; count < 7; count += 1)
      await expect(reset(server, pending)).rejects.toMatchObject({ status: 503, code: 'MAINFRAME_UNAVAILABLE' });
    expect(await server.dump()).toEqual(before);
    await expect(user.userIdentities.get({ params: { id: dora.userId } })).resolves.toBeDefined();
    restoreMainframe();
    await expect(reset(server, pending)).resolves.toBeDefined();
  });

  test('does not restore a code that a newer one voided meanwhile', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    replaceMainframe(server, {
      setPassword: async () => {
        await retrieve(server, 'FREE1');
        throw apiError('MAINFRAME_UNAVAILABLE');
      },
    });
    await expect(reset(server, pending)).rejects.toMatchObject({ status: 503 });
    await expect(reset(server, pending)).rejects.toMatchObject(rejected);
  });

  test('includes a mainframe that rejects the connection, but only a correct code reaches it', async () => {
    await using server = await startServer({ flags: { 'mainframe-url': 'http://127.0.0.1:1' } });
    await expect(reset(server, { logon: 'FREE1', token: '123456', hash: 'x' })).rejects.toMatchObject(rejected);
    await expect(retrieve(server, 'FREE1')).rejects.toMatchObject({ status: 503 });
  });
});

describe('between the code and the reset', () => {
  test.each(['lock', 'lock and unlock'])('a %s stops the reset', async (what) => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'DORA1');
    await interruptions[what]?.(server, dora.userId);
    await expect(reset(server, pending)).rejects.toMatchObject(rejected);
    expect(await server.appContext.mainframe.verify('DORA1', logonPassword, internalFlow)).toBe(true);
  });

  test('the removal of the user stops the reset', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'DORA1');
    await interruptions.removal?.(server, dora.userId);
    await expect(reset(server, pending)).rejects.toMatchObject(rejected);
  });

  test('the binding of the logon to a user stops the reset', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    const alice = server.as({ token: (await logIn(server)).accessToken });
    const { challengeId } = await alice.userIdentities.associateLegacyByEmail({ body: { logon: 'FREE1' } });
    const token = await lastCode(server, 'free@mainframe.example');
    await alice.userIdentities.completeAssociateLegacy({ body: { challengeId, token } });
    await expect(reset(server, pending)).rejects.toMatchObject(rejected);
  });

  test.each(['lock', 'removal'])('a %s during the request to the mainframe starts no session', async (what) => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'DORA1');
    afterMainframeRequest(server, 'setPassword', async () => interruptions[what]?.(server, dora.userId));
    const failure = await reset(server, pending).catch((error: ClientError) => error);
    expect(failure).toMatchObject(rejected);
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });

  test('the removal of the logon from the mainframe starts no session', async () => {
    await using server = await startWithLogons();
    const pending = await startReset(server, 'FREE1');
    await server.appContext.mainframe.remove('FREE1');
    await expect(reset(server, pending)).rejects.toMatchObject(rejected);
    expect(await server.appContext.store.sessions.count()).toBe(0);
  });
});

test('a reset stops a concurrent login with the old password', async () => {
  await using server = await startWithLogons();
  const pending = await startReset(server, 'FREE1');
  const before = server.appContext.mainframe;
  afterMainframeRequest(server, 'verify', async () => {
    replaceMainframe(server, before);
    await reset(server, pending);
  });
  await expect(logInLegacy(server, 'FREE1')).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
  expect(await server.appContext.store.sessions.count()).toBe(1);
});
