/** Attackers who submit, request or void codes cannot prevent the owner of the account from recovering it. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { appClientId, createFakeClock } from '../../../harness.ts';
import { openStore } from '../../store/temp-store.ts';
import { createWrongCode, lastCode, messagesTo } from '../otp-inbox.ts';
import { rejectedCode } from './flows.ts';
import { type ApiResponse, alice, basic, password, post, startWith } from './login-fixtures.ts';
import {
  addKnownSource,
  attackerAddress,
  fromFourAttackers,
  home,
  hotel,
  identifyFrom,
  proxied,
  requestCodeFrom,
  resetFrom,
  signUpFrom,
  startProxied,
} from './otp-attack-fixtures.ts';
import { associate, createTokens } from './session-fixtures.ts';

const throttled = { status: 429, json: [{ code: 'CODE_FAILURES' }] };
const tooMany = { status: 429, json: [{ code: 'TOO_MANY_CODES' }] };
const done = { status: 201, json: { userId: alice.userId } };

describe('wrong codes of an attacker', () => {
  test('block recovery for the attacker for an hour, and the error names the setting', async () => {
    await using server = await startProxied();
    await requestCodeFrom(server, hotel);
    const code = await lastCode(server, alice.userEmail);
    for (let guess = 0; guess < 5; guess += 1)
      expect(await resetFrom(server, attackerAddress(), createWrongCode(code))).toMatchObject(rejectedCode);
    const rejected = await resetFrom(server, attackerAddress(), code);
    expect(rejected).toMatchObject({ ...throttled, headers: { 'retry-after': '3600' } });
    expect(rejected.text).toContain('disable-rate-limits');
    expect(await resetFrom(server, hotel, code)).toMatchObject(done);
  });

  test('20 from four addresses still allow the owner its code, and the known source and device every code', async () => {
    await using server = await startProxied();
    const token = await createTokens(server);
    const deviceTokenId = await associate(server, token);
    const [device] = await server.appContext.store.devices.list();
    await addKnownSource(server, alice.userId, `device ${device?.deviceKey}`);
    await requestCodeFrom(server, hotel);
    const code = await lastCode(server, alice.userEmail);
    await fromFourAttackers((ip) => resetFrom(server, ip, createWrongCode(code)));
    expect(await resetFrom(server, attackerAddress(5), code)).toMatchObject(throttled);
    expect(await resetFrom(server, attackerAddress(5), code, { deviceTokenId: 'none' })).toMatchObject(throttled);
    const weak = { newPassword: 'short' };
    for (const [ip, more] of [
      [home, {}],
      [hotel, {}],
      [attackerAddress(5), { deviceTokenId }],
    ] as const)
      expect(await resetFrom(server, ip, code, { ...weak, ...more })).toMatchObject({ status: 422 });
    expect(await resetFrom(server, hotel, code)).toMatchObject(done);
  });

  test('are checked 20 times in 100 concurrent requests, and of 50 correct codes one succeeds', async () => {
    await using server = await startProxied();
    await requestCodeFrom(server, home);
    const code = await lastCode(server, alice.userEmail);
    const guesses = Array.from({ length: 100 }, (_, at) =>
      resetFrom(server, attackerAddress(at % 10), createWrongCode(code)),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect([statuses.filter((status) => status === 412).length, new Set(statuses)]).toEqual([20, new Set([412, 429])]);
    const right = await Promise.all(Array.from({ length: 50 }, () => resetFrom(server, home, code)));
    expect(right.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(right.filter(({ status }) => status === 412)).toHaveLength(49);
  });
});

describe('codes requested by an attacker', () => {
  test('every minute do not void the code of the owner', async () => {
    await using server = await startProxied();
    await requestCodeFrom(server, hotel);
    const code = await lastCode(server, alice.userEmail);
    for (let minute = 0; minute < 7; minute += 1) {
      server.clock.advance(60);
      await requestCodeFrom(server, attackerAddress());
    }
    expect(await resetFrom(server, hotel, code)).toMatchObject(done);
  });

  test('exhaust the limit of the address of the attacker only', async () => {
    await using server = await startProxied();
    for (let time = 0; time < 5; time += 1)
      expect(await requestCodeFrom(server, attackerAddress())).toMatchObject({ status: 201 });
    const rejected = await requestCodeFrom(server, attackerAddress());
    expect(rejected).toMatchObject({ ...tooMany, headers: { 'retry-after': '3600' } });
    expect(rejected.text).toContain('disable-rate-limits');
    expect(await requestCodeFrom(server, hotel)).toMatchObject({ status: 201 });
    expect(await resetFrom(server, hotel, await lastCode(server, alice.userEmail))).toMatchObject(done);
  });

  test('20 from four addresses, for any name, still allow the known source and device to recover', async () => {
    await using server = await startProxied();
    const deviceTokenId = await associate(server, await createTokens(server));
    const [device] = await server.appContext.store.devices.list();
    await addKnownSource(server, alice.userId, `device ${device?.deviceKey}`);
    await fromFourAttackers((ip) => requestCodeFrom(server, ip));
    const sent = (await messagesTo(server, alice.userEmail)).length;
    expect(await requestCodeFrom(server, hotel)).toMatchObject(tooMany);
    // The response for another name is that of an unused name, but nothing is sent.
    expect(await requestCodeFrom(server, hotel, alice.userEmail)).toMatchObject({ status: 201 });
    expect(await messagesTo(server, alice.userEmail)).toHaveLength(sent);
    expect(await requestCodeFrom(server, hotel, alice.userName, { deviceTokenId })).toMatchObject({ status: 201 });
    expect(await messagesTo(server, alice.userEmail)).toHaveLength(sent + 1);
    expect(await requestCodeFrom(server, home)).toMatchObject({ status: 201 });
    expect(await resetFrom(server, home, await lastCode(server, alice.userEmail))).toMatchObject(done);
  });

  test('still allow recovery from the address of the last login', async () => {
    await using server = await startWith([], { flags: proxied });
    const login = { authorization: basic(alice.userName, password), 'x-forwarded-for': hotel };
    expect(await post(server, `/user-identities/login?clientId=${appClientId}`, login)).toMatchObject({ status: 201 });
    await fromFourAttackers((ip) => requestCodeFrom(server, ip));
    expect(await requestCodeFrom(server, home)).toMatchObject(tooMany);
    expect(await requestCodeFrom(server, hotel)).toMatchObject({ status: 201 });
    await fromFourAttackers((ip) => resetFrom(server, ip, 'abcdef'));
    expect(await resetFrom(server, hotel, await lastCode(server, alice.userEmail))).toMatchObject(done);
  });

  test('from ten addresses do not void the code of the known source', async () => {
    await using server = await startProxied();
    await requestCodeFrom(server, home);
    const code = await lastCode(server, alice.userEmail);
    for (let number = 1; number <= 10; number += 1) await requestCodeFrom(server, attackerAddress(number));
    expect((await server.appContext.store.codes.list()).filter(({ used }) => !used)).toHaveLength(4);
    expect(await resetFrom(server, home, code)).toMatchObject(done);
  });
});

describe('the response to an attacker', () => {
  const comparable = (name: string, { status, headers, text }: ApiResponse) => ({
    status,
    headers: { ...headers, etag: undefined, 'content-length': undefined },
    text: text.replaceAll(name, 'NAME'),
  });

  test('is the same for a user and for an unknown name in all requests', async () => {
    const seen = [];
    for (const name of [alice.userName, alice.userEmail, 'no-such-user']) {
      await using server = await startProxied();
      const responses = await fromFourAttackers((ip) => requestCodeFrom(server, ip, name));
      responses.push(
        await requestCodeFrom(server, attackerAddress(1), name),
        await requestCodeFrom(server, attackerAddress(5), name),
      );
      responses.push(...(await fromFourAttackers((ip) => resetFrom(server, ip, 'abcdef', { username: name }))));
      responses.push(await resetFrom(server, attackerAddress(1), 'abcdef', { username: name }));
      responses.push(await resetFrom(server, attackerAddress(5), 'abcdef', { username: name }));
      seen.push(responses.map((response) => comparable(name, response)));
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  test('does not reveal that two names belong to one user', async () => {
    await using server = await startProxied();
    for (const name of [alice.userName, 'no-such-user'])
      for (let guess = 0; guess < 5; guess += 1)
        await resetFrom(server, attackerAddress(), 'abcdef', { username: name });
    const responses = [];
    for (const name of [alice.userEmail, 'no-such-user-either'])
      for (let guess = 0; guess < 6; guess += 1)
        responses.push((await resetFrom(server, attackerAddress(), 'abcdef', { username: name })).status);
    expect(responses).toEqual([412, 412, 412, 412, 412, 429, 412, 412, 412, 412, 412, 429]);
  });
});

describe('at sign-up', () => {
  const bob = 'bob@example.com';

  test('an attacker neither voids the code of the owner of a contact nor exhausts its attempts', async () => {
    await using server = await startProxied();
    await identifyFrom(server, hotel, bob);
    const code = await lastCode(server, bob);
    for (let time = 0; time < 5; time += 1)
      expect((await identifyFrom(server, attackerAddress(), bob)).status).toBe(201);
    expect(await identifyFrom(server, attackerAddress(), bob)).toMatchObject(tooMany);
    await fromFourAttackers((ip) => signUpFrom(server, ip, createWrongCode(code)));
    expect(await signUpFrom(server, attackerAddress(5), code)).toMatchObject(throttled);
    expect(await signUpFrom(server, hotel, code)).toMatchObject({ status: 201 });
  });

  test('20 codes an hour are sent to a contact over all sources, also to that of a user', async () => {
    for (const contact of [bob, alice.userEmail]) {
      await using server = await startProxied();
      const responses = await fromFourAttackers((ip) => identifyFrom(server, ip, contact));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
      expect(await identifyFrom(server, home, contact)).toMatchObject({
        ...tooMany,
        headers: { 'retry-after': '3600' },
      });
    }
  });
});

test('failures survive a restart, and a reset of the state clears them', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-codes-'));
  const clock = createFakeClock();
  const start = () => startWith([], { clock, flags: proxied, openStore: () => openStore(folder) });
  try {
    {
      await using server = await start();
      for (let time = 0; time < 5; time += 1) await requestCodeFrom(server, attackerAddress());
      for (let guess = 0; guess < 5; guess += 1) await resetFrom(server, attackerAddress(), 'abcdef');
    }
    await using server = await start();
    expect(await requestCodeFrom(server, attackerAddress())).toMatchObject(tooMany);
    expect(await resetFrom(server, attackerAddress(), 'abcdef')).toMatchObject(throttled);
    await server.send({
      method: 'POST',
      path: '/_iam/state/reset',
      headers: [['Content-Type', 'application/json']],
      body: '{"to":"seed"}',
    });
    expect(await requestCodeFrom(server, attackerAddress())).toMatchObject({ status: 201 });
    expect(await resetFrom(server, attackerAddress(), 'abcdef')).toMatchObject(rejectedCode);
  } finally {
    await rm(folder, { recursive: true });
  }
});
