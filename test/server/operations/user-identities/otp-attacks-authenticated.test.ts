/**
 * Codes of MFA, contacts and mainframe logons: attackers, one with the password, cannot lock out their owner, who completed
 * a second factor at home.
 */
import { describe, expect, test } from 'vitest';
import type { SeedUser } from '../../../../src/server/seed/schema.ts';
import type { TestServer } from '../../../harness.ts';
import { createWrongCode, lastCode } from '../otp-inbox.ts';
import { type ApiResponse, alice, password, passwordHash } from './login-fixtures.ts';
import { logons } from './logon-fixtures.ts';
import {
  addKnownSource,
  attackerAddress,
  fromFourAttackers,
  home,
  hotel,
  postFrom,
  startProxied,
} from './otp-attack-fixtures.ts';
import { associate, createTokens, type Tokens } from './session-fixtures.ts';

const throttled = { status: 429, json: [{ code: 'CODE_FAILURES' }] };
const tooMany = { status: 429, json: [{ code: 'TOO_MANY_CODES' }] };
const wrong = { status: 412, json: [{ code: 'CODE_INVALID' }] };
const me = '/user-identities/me';

const challengeOf = ({ json }: ApiResponse) => String((json as { challengeId?: string }).challengeId);

/** Starts a server that knows the home address of Alice, where she completed a second factor as well. */
async function startAfterMfa(users: readonly SeedUser[] = []): Promise<TestServer> {
  const server = await startProxied(users);
  await addKnownSource(server, alice.userId, home, 'mfaSources');
  return server;
}

const leverage = (server: TestServer, ip: string, token: string) =>
  postFrom(server, ip, `${me}/leverage-mfa`, {}, token);

const fulfill = (server: TestServer, ip: string, token: string, challengeId: string, code: string) =>
  postFrom(server, ip, `${me}/fulfill-mfa`, { challengeId, token: code }, token);

describe('an attacker with the password, in separate sessions,', () => {
  test('does not block MFA of the owner', async () => {
    await using server = await startAfterMfa();
    const [{ accessToken: own }, { accessToken: attacker }] = [await createTokens(server), await createTokens(server)];
    const challengeId = challengeOf(await leverage(server, home, own));
    const code = await lastCode(server, alice.userEmail);
    for (let guess = 0; guess < 5; guess += 1)
      expect(await fulfill(server, attackerAddress(), attacker, challengeId, createWrongCode(code))).toMatchObject(
        wrong,
      );
    expect(await fulfill(server, attackerAddress(), attacker, challengeId, code)).toMatchObject(throttled);
    for (const number of [2, 3, 4])
      for (let guess = 0; guess < 5; guess += 1)
        await fulfill(server, attackerAddress(number), attacker, challengeId, createWrongCode(code));
    expect(await fulfill(server, attackerAddress(5), attacker, challengeId, code)).toMatchObject(throttled);
    expect(await fulfill(server, home, own, challengeId, code)).toMatchObject({ status: 201 });
  });

  test('neither exhausts the codes for the contact nor voids the pending one', async () => {
    await using server = await startAfterMfa();
    const { accessToken: own } = await createTokens(server);
    const challengeId = challengeOf(await leverage(server, home, own));
    const code = await lastCode(server, alice.userEmail);
    await fromFourAttackers(async (ip) => leverage(server, ip, (await createTokens(server)).accessToken));
    expect(await leverage(server, hotel, own)).toMatchObject(tooMany);
    expect(await fulfill(server, home, own, challengeId, code)).toMatchObject({ status: 201 });
    expect(await leverage(server, home, own)).toMatchObject({ status: 201 });
  });

  test('gains no attempts by logging in: an address that only logged in is not known', async () => {
    await using server = await startProxied();
    const { accessToken } = await createTokens(server);
    const challengeId = challengeOf(await leverage(server, home, accessToken));
    const code = await lastCode(server, alice.userEmail);
    await fromFourAttackers((ip) => fulfill(server, ip, accessToken, challengeId, createWrongCode(code)));
    expect(await fulfill(server, home, accessToken, challengeId, code)).toMatchObject(throttled);
  });

  test('gains no attempts through devices, while the session of a known device works from any address', async () => {
    await using server = await startAfterMfa();
    const token = await createTokens(server);
    await associate(server, token);
    const [device] = await server.appContext.store.devices.list();
    await addKnownSource(server, alice.userId, `device token ${device?.tokenHash}`, 'mfaSources');
    const challengeId = challengeOf(await leverage(server, home, token.accessToken));
    const code = await lastCode(server, alice.userEmail);
    const attacker = await createTokens(server);
    await fromFourAttackers((ip) => fulfill(server, ip, attacker.accessToken, challengeId, createWrongCode(code)));
    await associate(server, attacker, 'another');
    expect(await fulfill(server, attackerAddress(), attacker.accessToken, challengeId, code)).toMatchObject(throttled);
    expect(await fulfill(server, hotel, token.accessToken, challengeId, code)).toMatchObject({ status: 201 });
  });

  test('is not known by the id of the device of the owner, also after the owner completes a second factor again', async () => {
    await using server = await startProxied();
    const own = await createTokens(server);
    await associate(server, own);
    const complete = async (token: Tokens) => {
      const challengeId = challengeOf(await leverage(server, home, token.accessToken));
      const code = await lastCode(server, alice.userEmail);
      return fulfill(server, home, token.accessToken, challengeId, code);
    };
    expect(await complete(own)).toMatchObject({ status: 201 });
    const attacker = await createTokens(server);
    const challengeId = challengeOf(await leverage(server, attackerAddress(), attacker.accessToken));
    const code = await lastCode(server, alice.userEmail);
    await fromFourAttackers((ip) => fulfill(server, ip, attacker.accessToken, challengeId, createWrongCode(code)));
    const deviceTokenId = await associate(server, attacker);
    const submit = () => fulfill(server, attackerAddress(5), attacker.accessToken, challengeId, code);
    expect(await submit()).toMatchObject(throttled);
    expect(await complete(own)).toMatchObject({ status: 201 });
    expect(await submit()).toMatchObject(throttled);
    const login = { userName: alice.userName, password, deviceTokenId };
    const again = await postFrom(server, attackerAddress(5), '/user-identities/login?clientId=test-app', login);
    const { accessToken } = again.json as Tokens;
    expect(await leverage(server, attackerAddress(5), accessToken)).toMatchObject({ status: 201 });
    expect(await fulfill(server, attackerAddress(5), accessToken, 'none', createWrongCode(code))).toMatchObject(
      throttled,
    );
    expect(await leverage(server, hotel, own.accessToken)).toMatchObject({ status: 201 });
  });

  test('does not block the verification of a contact by the owner', async () => {
    await using server = await startAfterMfa();
    const { accessToken } = await createTokens(server);
    const path = `${me}/authentication-factors/main-email/tokens`;
    await fromFourAttackers((ip) => postFrom(server, ip, `${path}/validate`, { token: 'abcdef' }, accessToken));
    await server.as({ token: accessToken }).userIdentities.factors.sendToken({ params: { id: 'main-email' } });
    const token = await lastCode(server, alice.userEmail);
    expect(await postFrom(server, attackerAddress(5), `${path}/validate`, { token }, accessToken)).toMatchObject(
      throttled,
    );
    expect(await postFrom(server, home, `${path}/validate`, { token }, accessToken)).toMatchObject({ status: 201 });
  });
});

describe('codes of a mainframe logon', () => {
  const free = logons.filter(({ logon }) => logon === 'FREE1');
  const number = '+15555550101';
  const withLogon = async (legacyLogons: string[] = []) => {
    const server = await startAfterMfa([{ userId: 'carl', userName: 'carl', passwordHash }]);
    await server.appContext.store.transaction(async (tx) => {
      for (const row of free) await tx.logons.insert(row);
      const user = await tx.users.get(alice.userId);
      if (user && legacyLogons.length > 0) await tx.users.replace({ ...user, legacyLogons });
    });
    return server;
  };

  test('can be requested for association from a known source after 20 requests of another user', async () => {
    await using server = await withLogon();
    const [own, other] = [await createTokens(server), await createTokens(server, { userId: 'carl' })];
    const begin = (ip: string, { accessToken }: { accessToken: string }) =>
      postFrom(server, ip, `${me}/legacy-logons/mobile`, { logon: 'FREE1' }, accessToken);
    await fromFourAttackers((ip) => begin(ip, other));
    expect(await begin(attackerAddress(5), other)).toMatchObject(tooMany);
    const challengeId = challengeOf(await begin(home, own));
    const token = await lastCode(server, number);
    const path = `${me}/legacy-logons/complete`;
    expect(await postFrom(server, home, path, { challengeId, token }, own.accessToken)).toMatchObject({ status: 201 });
  });

  test('can be requested and used by the owner after wrong codes and requests of an attacker', async () => {
    await using server = await withLogon(['FREE1']);
    const requestCode = (ip: string) =>
      postFrom(server, ip, '/user-identities/retrieve-legacy-identity?clientId=test-app', { logon: 'FREE1' });
    const reset = (ip: string, hash: string, token: string) =>
      postFrom(server, ip, '/user-identities/reset-legacy-password?clientId=test-app', {
        logon: 'FREE1',
        token,
        hash,
        newPassword: 'NEW#PW1',
      });
    await fromFourAttackers(requestCode);
    expect(await requestCode(attackerAddress(5))).toMatchObject(tooMany);
    await fromFourAttackers((ip) => reset(ip, 'none', 'abcdef'));
    const { hash } = (await requestCode(home)).json as { hash: string };
    const code = await lastCode(server, number);
    expect(await reset(attackerAddress(5), hash, code)).toMatchObject(throttled);
    expect(await reset(home, hash, code)).toMatchObject({ status: 200 });
  });
});

test('returns messages in the inbox by the source of their request', async () => {
  await using server = await startAfterMfa();
  const { accessToken } = await createTokens(server);
  const items = async () => {
    const { json } = await server.send({ method: 'GET', path: '/_iam/inbox?purpose=mfa' });
    return json as { id: string; attemptsLeft?: number; supersededBy?: string }[];
  };
  const first = challengeOf(await leverage(server, home, accessToken));
  await leverage(server, attackerAddress(), accessToken);
  await fulfill(server, home, accessToken, first, 'abcdef');
  expect((await items()).map(({ attemptsLeft }) => attemptsLeft)).toEqual([5, 4]);
  await leverage(server, home, accessToken);
  const [latest, , before] = await items();
  expect(before).toMatchObject({ supersededBy: latest?.id });
  expect(latest).toMatchObject({ attemptsLeft: 4 });
  const { json } = await server.send({ method: 'GET', path: '/_iam/inbox/wait?purpose=mfa&timeout=0' });
  expect(json).toMatchObject({ id: latest?.id });
});
