/** Creating a user with a one-time code verifies the contact that the code was sent to. */
import { describe, expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { createWrongCode, lastCode } from '../otp-inbox.ts';
import { rowOf } from './callers.ts';
import { identify, rejectedCode, signUp, signUpCode, tally } from './flows.ts';
import { alice, readClaims, readRoles, startWith } from './login-fixtures.ts';

const userEmail = 'bob@example.com';
const userMobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
const number = '+5511987654321';
type Token = { accessToken: string };

async function countUsers(server: Awaited<ReturnType<typeof startServer>>): Promise<number> {
  return server.appContext.store.users.count();
}

test('verifies only the e-mail address that the code was sent to', async () => {
  await using server = await startServer();
  const token = await signUpCode(server);
  const response = await signUp(server, { token, userId: 'bob-id', userMobile });
  expect(response).toMatchObject({ status: 201 });
  expect(readRoles(response.json as Token)).toEqual([
    'AUTH-IDENTIFIED',
    'CLI-1STPARTY',
    'CLI-AUTH-IDENTIFIED',
    'PERSON',
    'USER',
  ]);
  expect(await rowOf(server, 'bob-id')).toMatchObject({ emailVerified: true, mobileVerified: false });
});

test('verifies only the mobile number that the code was sent to, without a failure for the e-mail address', async () => {
  await using server = await startServer();
  await identify(server, { userMobile });
  const response = await signUp(server, { token: await lastCode(server, number), userId: 'bob-id', userMobile });
  expect(response).toMatchObject({ status: 201 });
  expect(readRoles(response.json as Token)).toContain('AUTH-IDENTIFIED');
  expect(await rowOf(server, 'bob-id')).toMatchObject({ emailVerified: false, mobileVerified: true });
  expect(await server.appContext.store.codeFailures.count()).toBe(0);
});

test('accepts the code for any spelling of the address, which is stored as sent', async () => {
  await using server = await startServer();
  const token = await signUpCode(server, 'BOB@Example.com');
  const response = await signUp(server, { token, userId: 'bob-id', userEmail: 'Bob@example.COM' });
  expect(response).toMatchObject({ status: 201 });
  expect(await rowOf(server, 'bob-id')).toMatchObject({ userEmail: 'Bob@example.COM', emailVerified: true });
});

describe('rejects without creating a user', () => {
  test('a wrong, missing or used code, and a code of another contact', async () => {
    await using server = await startServer();
    const token = await signUpCode(server);
    const users = await countUsers(server);
    for (const wrong of [createWrongCode(token), '', 'abcdef', `${token}0`, ` ${token}`])
      expect(await signUp(server, { token: wrong }), wrong).toMatchObject(rejectedCode);
    server.clock.advance(3601);
    const again = await signUpCode(server);
    expect(await signUp(server, { token: again, userEmail: 'other@example.com' })).toMatchObject(rejectedCode);
    expect(await countUsers(server)).toBe(users);
    expect(await signUp(server, { token: again })).toMatchObject({ status: 201 });
    expect(await signUp(server, { token: again, userName: 'bob-2' })).toMatchObject(rejectedCode);
    expect(await countUsers(server)).toBe(users + 1);
  });

  test('all codes for an hour after five wrong ones, also new codes and for both contacts', async () => {
    await using server = await startServer();
    await identify(server, { userMobile });
    const byMobile = await lastCode(server, number);
    for (let guess = 0; guess < 5; guess += 1) {
      const token = createWrongCode(await signUpCode(server));
      const more = { token, userName: `bob-${guess}` };
      expect(await signUp(server, guess % 2 === 0 ? { ...more, userMobile } : more)).toMatchObject(rejectedCode);
    }
    const throttled = await signUp(server, { token: await lastCode(server, userEmail) });
    expect(throttled).toMatchObject({
      status: 429,
      json: [{ code: 'CODE_FAILURES' }],
      headers: { 'retry-after': '3600' },
    });
    expect(await signUp(server, { token: byMobile, userMobile })).toMatchObject({ status: 201 });
    server.clock.advance(3600);
    const token = await signUpCode(server);
    expect(await signUp(server, { token, userName: 'bob-2' })).toMatchObject({ status: 201 });
  });

  test('more than five guesses at the code of a mobile number, whatever e-mail addresses they are sent with', async () => {
    await using server = await startServer();
    await identify(server, { userMobile });
    const token = createWrongCode(await lastCode(server, number));
    const guess = (at: number) => signUp(server, { token, userMobile, userEmail: `guess-${at}@example.com` });
    for (let at = 0; at < 5; at += 1) expect(await guess(at)).toMatchObject(rejectedCode);
    expect(await guess(5)).toMatchObject({ status: 429, json: [{ code: 'CODE_FAILURES' }] });
  });

  test('more than five guesses at the code of an e-mail address, also with valid codes of own mobile numbers', async () => {
    await using server = await startServer();
    const victims = await signUpCode(server);
    for (let at = 0; at < 5; at += 1) {
      await identify(server, { userMobile: { ...userMobile, phoneNumber: userMobile.phoneNumber + at } });
      const token = await lastCode(server, `+5511${userMobile.phoneNumber + at}`);
      const fields = {
        token,
        userName: `bob-${at}`,
        userMobile: { ...userMobile, phoneNumber: userMobile.phoneNumber + at },
      };
      expect(await signUp(server, fields)).toMatchObject({ status: 201 });
    }
    expect(await signUp(server, { token: victims })).toMatchObject({ status: 429, json: [{ code: 'CODE_FAILURES' }] });
  });

  test('an e-mail address that another user verified; the code stays valid', async () => {
    await using server = await startWith();
    const token = await signUpCode(server, alice.userEmail);
    const conflict = await signUp(server, { token, userEmail: 'ALICE@example.com' });
    expect(conflict).toMatchObject({ status: 412, json: [{ code: 'LOGIN_NAME_TAKEN' }] });
    expect((await server.appContext.store.codes.list())[0]).toMatchObject({ used: false });
  });

  test('an invalid request; the code stays valid for the next attempt', async () => {
    await using server = await startWith();
    const token = await signUpCode(server);
    const invalid: [object, string][] = [
      [{ userName: 'alice' }, 'LOGIN_NAME_TAKEN'],
      [{ userId: alice.userId }, 'ID_TAKEN'],
      [{ businessId: 'b1' }, 'BUSINESS_NOT_ALLOWED'],
    ];
    for (const [more, code] of invalid)
      expect(await signUp(server, { token, ...more })).toMatchObject({ status: 412, json: [{ code }] });
    expect(await signUp(server, { token })).toMatchObject({ status: 201 });
  });
});

test('accepts an address that another user has not verified; that user keeps it unverified', async () => {
  await using server = await startServer();
  expect(await signUp(server, { userId: 'first', userName: 'first' })).toMatchObject({ status: 201 });
  const token = await signUpCode(server);
  expect(await signUp(server, { token, userId: 'second', userName: 'second' })).toMatchObject({ status: 201 });
  expect(await rowOf(server, 'first')).toMatchObject({ userEmail, emailVerified: false });
  expect(await rowOf(server, 'second')).toMatchObject({ userEmail, emailVerified: true });
  const found = await server.appContext.store.users.getBy('login', userEmail);
  expect(found?.userId).toBe('second');
});

test('creates one user from 100 concurrent requests with one correct code, without counting failures', async () => {
  await using server = await startServer();
  const token = await signUpCode(server);
  const users = await countUsers(server);
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, at) => signUp(server, { token, userName: `bob-${at}` })),
  );
  expect(tally(responses)).toEqual({ 201: 1, 412: 99 });
  expect(await countUsers(server)).toBe(users + 1);
  expect(await server.appContext.store.codeFailures.count()).toBe(0);
});

test('identifies a lead with a verified contact, but does not grant USER', async () => {
  await using server = await startServer();
  const token = await signUpCode(server);
  const response = await signUp(server, { token, lead: true });
  expect(readRoles(response.json as Token)).toEqual([
    'AUTH-IDENTIFIED',
    'CLI-1STPARTY',
    'CLI-AUTH-IDENTIFIED',
    'PERSON',
  ]);
  expect(readClaims(response.json as Token)).toHaveProperty('user_id');
});
