import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { apiError } from '../../../../src/contract/errors.ts';
import { internalFlow } from '../../../../src/server/limits/hash-queue.ts';
import { verifyPasswordHash } from '../../../../src/server/users/passwords.ts';
import { startServer, type TestServer } from '../../../harness.ts';
import { lastCode } from '../otp-inbox.ts';
import { createSession, expectRejected, firstAdministrator, rowOf } from './callers.ts';
import { alice, readClaims } from './login-fixtures.ts';
import {
  afterMainframeRequest,
  dora,
  logInLegacy,
  logonPassword,
  replaceMainframe,
  startWithLogons,
  stopMainframe,
} from './logon-fixtures.ts';

const password = 'FIRST#1';
const logonTaken = { status: 412, code: 'LOGON_TAKEN' };

interface ProvisionOptions {
  readonly id?: string;
  readonly logon?: string;
  readonly password?: string;
}

function provision(as: IamClient, { id = alice.userId, logon = 'NEW1', ...more }: ProvisionOptions = {}) {
  return as.userIdentities.provisionLogon({ params: { id }, body: { logon, ...more } });
}

const logonOf = ({ appContext }: TestServer, logon: string) => appContext.store.logons.get(logon);

describe('a new logon', () => {
  test('is created in the mainframe with the verified contacts of the user, and logs the user in', async () => {
    await using server = await startWithLogons();
    await expect(provision(server.admin, { id: dora.userId, logon: 'new@1', password })).resolves.toEqual({
      logon: 'NEW@1',
    });
    expect(await logonOf(server, 'NEW@1')).toMatchObject({ email: dora.userEmail, mobile: dora.userMobile });
    expect(await rowOf(server, dora.userId)).toMatchObject({ legacyLogons: ['DORA1', 'NEW@1'] });
    expect(readClaims(await logInLegacy(server, 'NEW@1', { secret: password }))).toMatchObject({ sub: dora.userId });
  });

  test('has its password stored as a hash', async () => {
    await using server = await startWithLogons();
    await provision(server.admin, { password });
    const { passwordHash = '' } = (await logonOf(server, 'NEW1')) ?? {};
    expect(await verifyPasswordHash(password, passwordHash)).toBe(true);
    expect(JSON.stringify(await server.dump()) + server.log.join('')).not.toContain(password);
  });

  test('cannot log in without a password', async () => {
    await using server = await startWithLogons();
    await provision(server.admin);
    for (const secret of ['', 'undefined', logonPassword])
      await expect(logInLegacy(server, 'NEW1', { secret })).rejects.toMatchObject({ status: 401 });
  });

  test('has no unverified contacts', async () => {
    await using server = await startWithLogons();
    const row = await rowOf(server);
    await server.appContext.store.transaction((tx) => tx.users.replace({ ...row, emailVerified: false }));
    await provision(server.admin);
    expect(await logonOf(server, 'NEW1')).toEqual({ logon: 'NEW1' });
  });
});

describe('rejects without a change', () => {
  test('a logon that exists in the mainframe or belongs to a user, including the same one', async () => {
    await using server = await startWithLogons();
    await server.appContext.store.transaction(async (tx) => {
      await tx.users.replace({ ...(await rowOf(server)), legacyLogons: ['ELSE1'] });
    });
    for (const options of [
      { logon: 'FREE1' },
      { logon: 'free1', password: 'weak' },
      { logon: 'DORA1', id: dora.userId },
      { logon: 'ELSE1', id: dora.userId },
    ])
      await expectRejected(server, () => provision(server.admin, options), logonTaken);
  });

  test('a password that the mainframe rejects', async () => {
    await using server = await startWithLogons();
    for (const weak of ['', 'short', 'TOOLONG##', 'FIRST 1', 'x'.repeat(1000)])
      await expectRejected(server, () => provision(server.admin, { password: weak }), {
        status: 422,
        code: 'PASSWORD_NOT_FOR_MAINFRAME',
      });
  });

  test('if the mainframe does not respond', async () => {
    await using server = await startWithLogons();
    stopMainframe(server);
    await expectRejected(server, () => provision(server.admin, { password }), {
      status: 503,
      code: 'MAINFRAME_UNAVAILABLE',
    });
  });

  test('if the mainframe rejects the connection', async () => {
    await using server = await startServer({ flags: { 'mainframe-url': 'http://127.0.0.1:1' } });
    const id = (await firstAdministrator(server)).userId;
    await expectRejected(server, () => provision(server.admin, { id }), { status: 503, code: 'MAINFRAME_UNAVAILABLE' });
  });
});

describe('atomicity', () => {
  test('the removal of the user in between removes the logon', async () => {
    await using server = await startWithLogons();
    afterMainframeRequest(server, 'create', () => server.admin.userIdentities.remove({ params: { id: alice.userId } }));
    await expect(provision(server.admin)).rejects.toMatchObject({ status: 404, code: 'USER_NOT_FOUND' });
    expect(await logonOf(server, 'NEW1')).toBeUndefined();
  });

  test.each([
    ['reports the store', async () => undefined, 'STORE_UNAVAILABLE'],
    [
      'leaves the outcome unknown if that fails',
      () => Promise.reject(apiError('MAINFRAME_UNAVAILABLE')),
      'OUTCOME_UNKNOWN',
    ],
  ])('a store failure in between removes the logon, and %s', async (_what, remove, code) => {
    await using server = await startWithLogons();
    const removed: string[] = [];
    replaceMainframe(server, {
      create: async () => {
        server.stopWrites();
        return true;
      },
      remove: async (logon) => {
        removed.push(logon);
        await remove();
      },
    });
    await expect(provision(server.admin)).rejects.toMatchObject({ status: 503, code });
    expect(removed).toEqual(['NEW1']);
  });

  test('exactly one of 100 concurrent requests for many users succeeds', async () => {
    await using server = await startWithLogons();
    const owners = [alice.userId, dora.userId];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, at) => provision(server.admin, { id: owners[at % 2] as string })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(logonTaken);
    const bound = [await rowOf(server), await rowOf(server, dora.userId)].flatMap((row) => row.legacyLogons ?? []);
    expect(bound.filter((logon) => logon === 'NEW1')).toHaveLength(1);
    expect(await logonOf(server, 'NEW1')).toBeDefined();
  });

  test('after a crash in between the user can bind the logon with a code sent to its own contact', async () => {
    await using server = await startWithLogons();
    // The state after such a crash: the logon exists but is not bound.
    const { userEmail: email, userMobile } = dora;
    await server.appContext.mainframe.create({ logon: 'NEW1', email, mobile: userMobile }, internalFlow);
    await expect(provision(server.admin, { id: dora.userId })).rejects.toMatchObject(logonTaken);
    const as = await createSession(server, dora.userId);
    const { challengeId } = await as.userIdentities.associateLegacyByEmail({ body: { logon: 'NEW1' } });
    const token = await lastCode(server, dora.userEmail);
    await expect(as.userIdentities.completeAssociateLegacy({ body: { challengeId, token } })).resolves.toEqual({
      legacyLogons: ['DORA1', 'NEW1'],
    });
  });
});
