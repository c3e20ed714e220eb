/**
 * A thief of the password without a second factor, at any number of addresses, cannot prevent the owner from logging in and
 * from recovering the account.
 */
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../../harness.ts';
import { createWrongCode, lastCode, messagesTo } from '../otp-inbox.ts';
import { type ApiResponse, alice, password, postJson } from './login-fixtures.ts';
import {
  attackerAddress,
  home,
  newPassword,
  postFrom,
  requestCodeFrom,
  resetFrom,
  startProxied,
} from './otp-attack-fixtures.ts';
import { associate, type Tokens } from './session-fixtures.ts';
import { forwardedFrom, logInFrom } from './sources.ts';

const me = '/user-identities/me';
const stolenPassword = 'a phrase of the thief';
const attackers = Array.from({ length: 20 }, (_, at) => attackerAddress(at + 1));
const tokensOf = ({ json }: ApiResponse) => json as Tokens;

/** Completes a second factor in a session. */
async function completeMfa(server: TestServer, ip: string, accessToken: string): Promise<Tokens> {
  const { json } = await postFrom(server, ip, `${me}/leverage-mfa`, {}, accessToken);
  const { challengeId } = json as { challengeId: string };
  const body = { challengeId, token: await lastCode(server, alice.userEmail) };
  const response = await postFrom(server, ip, `${me}/fulfill-mfa`, body, accessToken);
  expect(response).toMatchObject({ status: 201 });
  return tokensOf(response);
}

/** Logs in at home and completes a second factor there, if the owner has one. */
async function logInAtHome(server: TestServer, hasFactor: boolean): Promise<string> {
  const { accessToken } = tokensOf(await logInFrom(server, home));
  const deviceTokenId = await associate(server, tokensOf(await logInFrom(server, home)));
  if (hasFactor) await completeMfa(server, home, accessToken);
  return deviceTokenId;
}

/** Logs in from 20 addresses, requests codes and enters wrong ones from four of them, and fails to log in from ten others. */
async function attack(server: TestServer, secret: string): Promise<void> {
  for (const ip of attackers) expect(await logInFrom(server, ip, { secret })).toMatchObject({ status: 201 });
  const four = attackers.slice(-4);
  for (const ip of four) expect(await requestCodeFrom(server, ip)).toMatchObject({ status: 201 });
  const code = createWrongCode(await lastCode(server, alice.userEmail));
  for (const ip of four) for (let guess = 0; guess < 5; guess += 1) await resetFrom(server, ip, code);
  for (let failure = 0; failure < 100; failure += 1)
    await logInFrom(server, attackerAddress(100 + (failure % 10)), { secret: 'wrong' });
}

/** What the owner does at home, with and without the token of its device. */
async function recoverAtHome(server: TestServer, deviceTokenId: string): Promise<void> {
  for (const more of [{}, { deviceTokenId }]) {
    const sent = (await messagesTo(server, alice.userEmail)).length;
    expect(await requestCodeFrom(server, home, alice.userName, more)).toMatchObject({ status: 201 });
    expect(await messagesTo(server, alice.userEmail)).toHaveLength(sent + 1);
    const weak = { newPassword: 'short', ...more };
    const code = await lastCode(server, alice.userEmail);
    expect(await resetFrom(server, home, code, weak)).toMatchObject({ status: 422 });
  }
  const code = await lastCode(server, alice.userEmail);
  expect(await resetFrom(server, home, code)).toMatchObject({ status: 201 });
  expect(await logInFrom(server, home, { secret: newPassword })).toMatchObject({ status: 201 });
}

describe('logins, codes and failures of the thief', () => {
  test.each([
    ['with', true],
    ['without', false],
  ])('do not stop an owner %s a second factor', async (_, hasFactor) => {
    await using server = await startProxied();
    const deviceTokenId = await logInAtHome(server, hasFactor);
    await attack(server, password);
    expect(await logInFrom(server, home)).toMatchObject({ status: 201 });
    expect(await logInFrom(server, home, { deviceTokenId })).toMatchObject({ status: 201 });
    await recoverAtHome(server, deviceTokenId);
  });

  test('after a change of the password do not stop an owner who completed a second factor', async () => {
    await using server = await startProxied();
    const deviceTokenId = await logInAtHome(server, true);
    const { accessToken } = tokensOf(await logInFrom(server, attackerAddress()));
    const body = { password, newPassword: stolenPassword };
    const headers = { ...forwardedFrom(attackerAddress()), authorization: `Bearer ${accessToken}` };
    expect(await postJson(server, `${me}/change-password`, body, headers)).toMatchObject({ status: 201 });
    await attack(server, stolenPassword);
    await recoverAtHome(server, deviceTokenId);
  });

  test('do not keep an owner at a new address from a new code', async () => {
    await using server = await startProxied();
    const elsewhere = '203.0.113.77';
    for (const ip of attackers.slice(0, 4)) {
      await logInFrom(server, ip);
      await requestCodeFrom(server, ip);
    }
    const sent = (await messagesTo(server, alice.userEmail)).length;
    await requestCodeFrom(server, elsewhere);
    expect(await messagesTo(server, alice.userEmail)).toHaveLength(sent + 1);
    expect(await resetFrom(server, elsewhere, await lastCode(server, alice.userEmail))).toMatchObject({ status: 201 });
  });
});

test('a change of the password with a second factor removes the other sources of second factors', async () => {
  await using server = await startProxied();
  await logInAtHome(server, true);
  const other = '203.0.113.50';
  const login = tokensOf(await logInFrom(server, other));
  const { accessToken } = await completeMfa(server, other, login.accessToken);
  const headers = { ...forwardedFrom(other), authorization: `Bearer ${accessToken}` };
  const { store } = server.appContext;
  expect((await store.users.get(alice.userId))?.mfaSources).toHaveLength(2);
  const body = { password, newPassword };
  expect(await postJson(server, `${me}/change-password`, body, headers)).toMatchObject({ status: 201 });
  expect((await store.users.get(alice.userId))?.mfaSources).toHaveLength(1);
});

test('devices that the thief associates do not remove one that completed a second factor', async () => {
  await using server = await startProxied();
  const login = tokensOf(await logInFrom(server, home));
  await associate(server, login, 'own');
  await completeMfa(server, home, login.accessToken);
  const thief = tokensOf(await logInFrom(server, attackerAddress()));
  for (let device = 0; device < 51; device += 1) await associate(server, thief, `device ${device}`);
  const ids = (await server.appContext.store.devices.list()).map(({ deviceId }) => deviceId);
  expect([ids.length, ids.includes('own'), ids.includes('device 0')]).toEqual([50, true, false]);
});
