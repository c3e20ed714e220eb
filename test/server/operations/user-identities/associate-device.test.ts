import { expect, test } from 'vitest';
import { maxDevices } from '../../../../src/server/identity/devices.ts';
import { hashSecret } from '../../../../src/server/identity/secrets.ts';
import { alice, passwordHash, postJson, startWith } from './login-fixtures.ts';
import { associate, createTokens, expectUserNeeded, findSession, renew, sessionEndings } from './session-fixtures.ts';

const path = '/user-identities/me/associate-user-device';

test('binds the device to the user, and the session to the device', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const body = { deviceId: 'phone', deviceVersion: 'V2', deviceName: "Alice's phone" } as const;
  const answer = await postJson(server, path, body, { authorization: `Bearer ${token.accessToken}` });
  expect(answer).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const { deviceTokenId } = answer.json as { deviceTokenId: string };
  expect(Buffer.from(deviceTokenId, 'base64url')).toHaveLength(32);
  const [device, ...others] = await server.appContext.store.devices.list();
  expect(others).toEqual([]);
  expect(device).toMatchObject({ userId: alice.userId, ...body });
  expect(await findSession(server, token)).toMatchObject({ deviceKey: device?.deviceKey });
  expect(await renew(server, token.refreshToken)).toBeUndefined();
});

test('keeps nothing of what the device shows but a hash', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const shown = [await associate(server, token), await associate(server, token)];
  const kept = JSON.stringify(await server.dump()) + server.log.join('');
  for (const deviceTokenId of shown) expect(kept).not.toContain(deviceTokenId);
});

test('again, answers the same binding with another deviceTokenId, and keeps what is not said anew', async () => {
  await using server = await startWith();
  const [first, second] = [await createTokens(server), await createTokens(server)];
  const as = (token: { accessToken: string }) => server.as({ token: token.accessToken }).userIdentities;
  const body = { deviceId: 'phone', deviceName: 'old name', deviceVersion: 'V1' } as const;
  const one = await as(first).associateDevice({ body });
  const [before] = await server.appContext.store.devices.list();
  const other = await as(second).associateDevice({ body: { deviceId: 'phone', deviceName: 'new name' } });
  expect(other.deviceTokenId).not.toBe(one.deviceTokenId);
  const after = await server.appContext.store.devices.list();
  expect(after).toEqual([{ ...before, deviceName: 'new name', tokenHash: expect.any(String) }]);
  for (const token of [first, second])
    expect(await findSession(server, token)).toMatchObject({ deviceKey: before?.deviceKey });
});

test('binds a session that was bound to another device to this one', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  await associate(server, token, 'phone');
  await associate(server, token, 'tablet');
  const devices = await server.appContext.store.devices.find('userId', alice.userId);
  const tablet = devices.find(({ deviceId }) => deviceId === 'tablet');
  expect(await findSession(server, token)).toMatchObject({ deviceKey: tablet?.deviceKey });
});

test('one device of two users is two', async () => {
  await using server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }]);
  const [ofAlice, ofBob] = [
    await associate(server, await createTokens(server)),
    await associate(server, await createTokens(server, { userId: 'bob' })),
  ];
  expect(ofAlice).not.toBe(ofBob);
  expect(await server.appContext.store.devices.count()).toBe(2);
});

test('a user has so many devices at most; the one that was associated longest ago goes', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  for (let number = 0; number < maxDevices; number += 1) {
    await associate(server, token, `device ${number}`);
    server.clock.advance(1);
  }
  await associate(server, token, 'device 0');
  server.clock.advance(1);
  await associate(server, token, 'one more');
  const names = (await server.appContext.store.devices.list()).map(({ deviceId }) => deviceId);
  expect(names).toHaveLength(maxDevices);
  expect(names).toEqual(expect.arrayContaining(['device 0', 'device 2', 'one more']));
  expect(names).not.toContain('device 1');
});

test('100 at once make one device, which shows the last of what they got', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const shown = await Promise.all(Array.from({ length: 100 }, () => associate(server, token)));
  expect(new Set(shown).size).toBe(100);
  const devices = await server.appContext.store.devices.list();
  expect(devices).toHaveLength(1);
  expect(shown.map(hashSecret)).toContain(devices[0]?.tokenHash);
});

test('refuses a body that is wrong, and keeps the store as it was', async () => {
  await using server = await startWith();
  const { accessToken } = await createTokens(server);
  const before = await server.dump();
  const bodies: [object, string][] = [
    [{}, 'FIELD_MISSING'],
    [{ deviceId: 7 }, 'FIELD_TYPE'],
    [{ deviceId: '' }, 'FIELD_VALUE'],
    [{ deviceId: 'x'.repeat(201) }, 'FIELD_VALUE'],
    [{ deviceId: 'a\nb' }, 'FIELD_VALUE'],
    [{ deviceId: 'a', deviceVersion: 'V3' }, 'FIELD_VALUE'],
    [{ deviceId: 'a', userId: 'bob' }, 'FIELD_UNKNOWN'],
    [{ deviceId: 'a', tokenHash: 'y' }, 'FIELD_UNKNOWN'],
  ];
  for (const [body, code] of bodies) {
    const answer = await postJson(server, path, body, { authorization: `Bearer ${accessToken}` });
    expect(answer).toMatchObject({ status: 400, json: [{ code }] });
  }
  expect(await server.dump()).toEqual(before);
});

test('refuses who is no user signed in by a password, and keeps the store as it was', async () => {
  await using server = await startWith();
  await expectUserNeeded(server, 'user-identities.associate-device', { body: { deviceId: 'phone' } });
});

test.each(Object.entries(sessionEndings))('is refused after %s, and binds nothing', async (_what, end) => {
  await using server = await startWith();
  const token = await createTokens(server);
  await end(server, token);
  await expect(associate(server, token)).rejects.toMatchObject({ status: 401, code: 'TOKEN_INVALID' });
  expect(await server.appContext.store.devices.count()).toBe(0);
});

test('a removed user takes its devices with it', async () => {
  await using server = await startWith();
  await associate(server, await createTokens(server));
  await server.admin.userIdentities.remove({ params: { id: alice.userId } });
  expect(await server.appContext.store.devices.count()).toBe(0);
});
