import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import type { TestServer } from '../../../harness.ts';
import { createWrongCode, lastCode } from '../otp-inbox.ts';
import { createSession, rowOf } from './callers.ts';
import { alice, logIn, readClaims } from './login-fixtures.ts';
import {
  createLogonClient,
  dora,
  interruptions,
  logInLegacy,
  mobiles,
  retrieve,
  startWithLogons,
} from './logon-fixtures.ts';

const invalid = { status: 412, code: 'CODE_INVALID' };
const asAlice = (server: TestServer) => createSession(server, alice.userId, 'AUTH-BASIC');

interface Challenge {
  readonly challengeId: string;
  readonly token: string;
}

function complete(as: IamClient, body: Challenge) {
  return as.userIdentities.completeAssociateLegacy({ body });
}

async function startAssociation(
  server: TestServer,
  as: IamClient,
  logon: keyof typeof mobiles = 'FREE1',
): Promise<Challenge> {
  const { challengeId } = await as.userIdentities.associateLegacyByMobile({ body: { logon } });
  return { challengeId, token: await lastCode(server, mobiles[logon]) };
}

describe('with the correct code', () => {
  test('the logon is bound and logs the user in from then on', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    await expect(complete(as, await startAssociation(server, as))).resolves.toEqual({ legacyLogons: ['FREE1'] });
    await expect(as.userIdentities.get({ params: { id: alice.userId } })).resolves.toMatchObject({
      legacyLogons: ['FREE1'],
    });
    expect(readClaims(await logInLegacy(server, 'FREE1'))).toMatchObject({ sub: alice.userId, logon: 'FREE1' });
  });

  test('the logon is added to those that the user has', async () => {
    await using server = await startWithLogons();
    const as = await createSession(server, dora.userId);
    await expect(complete(as, await startAssociation(server, as))).resolves.toEqual({
      legacyLogons: ['DORA1', 'FREE1'],
    });
  });

  test('sessions and codes of the unbound logon end', async () => {
    await using server = await startWithLogons();
    const logon = await createLogonClient(server, 'FREE1');
    await retrieve(server, 'FREE1');
    const as = await asAlice(server);
    await complete(as, await startAssociation(server, as));
    await expect(logon.userIdentities.get({ params: { id: 'any' } })).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    const remaining = await server.appContext.store.codes.find('subject', 'logon:FREE1');
    expect(remaining).toEqual([]);
  });

  test('the code works once, also in 100 concurrent requests', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const challenge = await startAssociation(server, as);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => complete(as, challenge)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(invalid);
    await expect(complete(as, challenge)).rejects.toMatchObject(invalid);
    expect(await rowOf(server)).toMatchObject({ legacyLogons: ['FREE1'] });
  });
});

describe('rejects', () => {
  test('a wrong code, another challenge, an old code and a voided code', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const first = await startAssociation(server, as);
    const second = await startAssociation(server, as);
    await expect(complete(as, first)).rejects.toMatchObject(invalid);
    await expect(complete(as, { ...second, token: createWrongCode(second.token) })).rejects.toMatchObject(invalid);
    await expect(complete(as, { ...second, challengeId: first.challengeId })).rejects.toMatchObject(invalid);
    server.clock.advance(600);
    await expect(complete(as, second)).rejects.toMatchObject(invalid);
    expect(await rowOf(server)).not.toHaveProperty('legacyLogons');
  });

  test('codes for an hour after five wrong ones, also new codes', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const challenge = await startAssociation(server, as);
    for (let count = 0; count < 5; count += 1)
      await expect(complete(as, { ...challenge, token: 'wrong' })).rejects.toMatchObject(invalid);
    const second = await startAssociation(server, as);
    await expect(complete(as, second)).rejects.toMatchObject({ status: 429, code: 'CODE_FAILURES', retryAfter: 3600 });
    server.clock.advance(3600);
    const later = await asAlice(server);
    await expect(complete(later, await startAssociation(server, later))).resolves.toBeDefined();
  });

  test('a code of another user or for another purpose', async () => {
    await using server = await startWithLogons();
    const [as, other] = [await asAlice(server), await createSession(server, dora.userId)];
    const challenge = await startAssociation(server, as);
    await expect(complete(other, challenge)).rejects.toMatchObject(invalid);
    const { hash } = await retrieve(server, 'FREE1');
    const token = await lastCode(server, mobiles.FREE1);
    await expect(complete(as, { challengeId: hash, token })).rejects.toMatchObject(invalid);
    await expect(complete(as, challenge)).resolves.toBeDefined();
  });

  test('a logon that was bound to another user meanwhile, and changes nothing', async () => {
    await using server = await startWithLogons();
    const [as, other] = [await asAlice(server), await createSession(server, dora.userId)];
    const first = await startAssociation(server, as);
    const second = await startAssociation(server, other);
    await complete(other, second);
    const before = await server.dump();
    await expect(complete(as, first)).rejects.toMatchObject({ status: 412, code: 'LOGON_TAKEN' });
    expect(await server.dump()).toEqual(before);
  });

  test('the correct guess of a code for an unavailable logon', async () => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const { challengeId } = await as.userIdentities.associateLegacyByMobile({ body: { logon: 'DORA1' } });
    const token = '123456';
    await server.appContext.store.transaction(async (tx) => {
      const row = await tx.codes.get(challengeId);
      const codeHash = server.appContext.storeSecret.digest('code', `${challengeId}:${token}`);
      if (row) await tx.codes.replace({ ...row, codeHash });
    });
    await expect(complete(as, { challengeId, token })).rejects.toMatchObject(invalid);
  });
});

test.each(Object.keys(interruptions))('a %s between code and completion stops the flow', async (what) => {
  await using server = await startWithLogons();
  const as = await asAlice(server);
  const challenge = await startAssociation(server, as);
  await interruptions[what]?.(server, alice.userId);
  await expect(complete(as, challenge)).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  if (what !== 'lock and unlock') return;
  const again = server.as({ token: (await logIn(server)).accessToken });
  await expect(complete(again, challenge)).rejects.toMatchObject(invalid);
  expect(readClaims(await logInLegacy(server, 'FREE1'))).not.toHaveProperty('user_id');
});
