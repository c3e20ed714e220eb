/** Codes of second proofs, factors and mainframe logons: strangers, one of them with the password, close none of them. */
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { lastCode, wrongFor } from '../codes.ts';
import { logons } from './logons.ts';
import { fromFourStrangers, home, hotel, makeKnown, postFrom, startProxied, stranger } from './otp-strangers.ts';
import { type Answer, alice, passwordHash } from './people.ts';
import { associate, tokensOf } from './renewing.ts';

const held = { status: 429, json: [{ code: 'CODE_FAILURES' }] };
const tooMany = { status: 429, json: [{ code: 'TOO_MANY_CODES' }] };
const wrong = { status: 412, json: [{ code: 'CODE_INVALID' }] };
const me = '/user-identities/me';

const challengeOf = ({ json }: Answer) => String((json as { challengeId?: string }).challengeId);

const leverage = (server: TestServer, ip: string, token: string) =>
  postFrom(server, ip, `${me}/leverage-mfa`, {}, token);

const fulfill = (server: TestServer, ip: string, token: string, challengeId: string, code: string) =>
  postFrom(server, ip, `${me}/fulfill-mfa`, { challengeId, token: code }, token);

describe('whoever has the password, in sessions of its own,', () => {
  test('does not close the second proof to the owner', async () => {
    await using server = await startProxied();
    const [{ accessToken: own }, { accessToken: thief }] = [await tokensOf(server), await tokensOf(server)];
    const challengeId = challengeOf(await leverage(server, home, own));
    const code = await lastCode(server, alice.userEmail);
    for (let guess = 0; guess < 5; guess += 1)
      expect(await fulfill(server, stranger(), thief, challengeId, wrongFor(code))).toMatchObject(wrong);
    expect(await fulfill(server, stranger(), thief, challengeId, code)).toMatchObject(held);
    for (const number of [2, 3, 4])
      for (let guess = 0; guess < 5; guess += 1)
        await fulfill(server, stranger(number), thief, challengeId, wrongFor(code));
    expect(await fulfill(server, stranger(5), thief, challengeId, code)).toMatchObject(held);
    expect(await fulfill(server, home, own, challengeId, code)).toMatchObject({ status: 201 });
  });

  test('does not use up the codes to the contact, nor void the one under way', async () => {
    await using server = await startProxied();
    const { accessToken: own } = await tokensOf(server);
    const challengeId = challengeOf(await leverage(server, home, own));
    const code = await lastCode(server, alice.userEmail);
    await fromFourStrangers(async (ip) => leverage(server, ip, (await tokensOf(server)).accessToken));
    expect(await leverage(server, hotel, own)).toMatchObject(tooMany);
    expect(await fulfill(server, home, own, challengeId, code)).toMatchObject({ status: 201 });
    expect(await leverage(server, home, own)).toMatchObject({ status: 201 });
  });

  test('gains no tries by devices, while the session of a known device is served from any address', async () => {
    await using server = await startProxied();
    const token = await tokensOf(server);
    await associate(server, token);
    const [device] = await server.world.store.devices.list();
    await makeKnown(server, alice.userId, `device ${device?.deviceKey}`);
    const challengeId = challengeOf(await leverage(server, home, token.accessToken));
    const code = await lastCode(server, alice.userEmail);
    const thief = await tokensOf(server);
    await fromFourStrangers((ip) => fulfill(server, ip, thief.accessToken, challengeId, wrongFor(code)));
    await associate(server, thief, 'another');
    expect(await fulfill(server, stranger(), thief.accessToken, challengeId, code)).toMatchObject(held);
    expect(await fulfill(server, hotel, token.accessToken, challengeId, code)).toMatchObject({ status: 201 });
  });

  test('does not close the proof of a contact to the owner', async () => {
    await using server = await startProxied();
    const { accessToken } = await tokensOf(server);
    const path = `${me}/authentication-factors/main-email/tokens`;
    await fromFourStrangers((ip) => postFrom(server, ip, `${path}/validate`, { token: 'abcdef' }, accessToken));
    await server.as({ token: accessToken }).userIdentities.factors.sendToken({ params: { id: 'main-email' } });
    const token = await lastCode(server, alice.userEmail);
    expect(await postFrom(server, stranger(5), `${path}/validate`, { token }, accessToken)).toMatchObject(held);
    expect(await postFrom(server, home, `${path}/validate`, { token }, accessToken)).toMatchObject({ status: 201 });
  });
});

describe('of a mainframe logon', () => {
  const free = logons.filter(({ logon }) => logon === 'FREE1');
  const number = '+15555550101';
  const withLogon = async (legacyLogons: string[] = []) => {
    const server = await startProxied([{ userId: 'carl', userName: 'carl', passwordHash }]);
    await server.world.store.transaction(async (tx) => {
      for (const row of free) await tx.logons.insert(row);
      const user = await tx.users.get(alice.userId);
      if (user && legacyLogons.length > 0) await tx.users.replace({ ...user, legacyLogons });
    });
    return server;
  };

  test('20 requests of another user leave the association open to a user at its known source', async () => {
    await using server = await withLogon();
    const [own, other] = [await tokensOf(server), await tokensOf(server, { userId: 'carl' })];
    const begin = (ip: string, { accessToken }: { accessToken: string }) =>
      postFrom(server, ip, `${me}/legacy-logons/mobile`, { logon: 'FREE1' }, accessToken);
    await fromFourStrangers((ip) => begin(ip, other));
    expect(await begin(stranger(5), other)).toMatchObject(tooMany);
    const challengeId = challengeOf(await begin(home, own));
    const token = await lastCode(server, number);
    const path = `${me}/legacy-logons/complete`;
    expect(await postFrom(server, home, path, { challengeId, token }, own.accessToken)).toMatchObject({ status: 201 });
  });

  test('wrong codes and requests of a stranger leave the recovery open to its owner', async () => {
    await using server = await withLogon(['FREE1']);
    const ask = (ip: string) =>
      postFrom(server, ip, '/user-identities/retrieve-legacy-identity?clientId=test-app', { logon: 'FREE1' });
    const reset = (ip: string, hash: string, token: string) =>
      postFrom(server, ip, '/user-identities/reset-legacy-password?clientId=test-app', {
        logon: 'FREE1',
        token,
        hash,
        newPassword: 'NEW#PW1',
      });
    await fromFourStrangers(ask);
    expect(await ask(stranger(5))).toMatchObject(tooMany);
    await fromFourStrangers((ip) => reset(ip, 'none', 'abcdef'));
    const { hash } = (await ask(home)).json as { hash: string };
    const code = await lastCode(server, number);
    expect(await reset(stranger(5), hash, code)).toMatchObject(held);
    expect(await reset(home, hash, code)).toMatchObject({ status: 200 });
  });
});

test('the inbox tells of each code by the source that asked for it', async () => {
  await using server = await startProxied();
  const { accessToken } = await tokensOf(server);
  const items = async () => {
    const { json } = await server.send({ method: 'GET', path: '/_iam/inbox?purpose=mfa' });
    return json as { id: string; attemptsLeft?: number; supersededBy?: string }[];
  };
  const first = challengeOf(await leverage(server, home, accessToken));
  await leverage(server, stranger(), accessToken);
  await fulfill(server, home, accessToken, first, 'abcdef');
  expect((await items()).map(({ attemptsLeft }) => attemptsLeft)).toEqual([5, 4]);
  await leverage(server, home, accessToken);
  const [latest, , before] = await items();
  expect(before).toMatchObject({ supersededBy: latest?.id });
  expect(latest).toMatchObject({ attemptsLeft: 4 });
  const { json } = await server.send({ method: 'GET', path: '/_iam/inbox/wait?purpose=mfa&timeout=0' });
  expect(json).toMatchObject({ id: latest?.id });
});
