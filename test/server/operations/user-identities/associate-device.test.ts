import { expect, test } from 'vitest';
import { hashSecret } from '../../../../src/server/lib/secrets.ts';
import { maxDevices } from '../../../../src/server/sessions/devices.ts';
import { alice, passwordHash, postJson, startWith } from './login-fixtures.ts';
import { associate, createTokens, findSession, renew } from './session-fixtures.ts';

const path = '/user-identities/me/associate-user-device';

test('binds the device to the user and the session to the device', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const body = { deviceId: 'phone', deviceVersion: 'V2', deviceName: "Alice's phone" } as const;
  const response = await postJson(server, path, body, { authorization: `Bearer ${token.accessToken}` });
  expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
  const { deviceTokenId } = response.json as { deviceTokenId: string };
  expect(Buffer.from(deviceTokenId, 'base64url')).toHaveLength(32);
  const [device, ...others] = await server.appContext.store.devices.list();
  expect(others).toEqual([]);
  expect(device).toMatchObject({ userId: alice.userId, ...body });
  expect(await findSession(server, token)).toMatchObject({ deviceKey: device?.deviceKey });
  expect(await renew(server, token.refreshToken)).toBeUndefined();
});

test('stores only a hash of the device credential', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const returned = [await associate(server, token), await associate(server, token)];
  const stored = JSON.stringify(await server.dump()) + server.log.join('');
  for (const deviceTokenId of returned) expect(stored).not.toContain(deviceTokenId);
});

test('returns the same binding with a new deviceTokenId when repeated, and keeps fields that are not sent', async () => {
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

test('rebinds a session that is bound to another device', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  await associate(server, token, 'phone');
  await associate(server, token, 'tablet');
  const devices = await server.appContext.store.devices.find('userId', alice.userId);
  const tablet = devices.find(({ deviceId }) => deviceId === 'tablet');
  expect(await findSession(server, token)).toMatchObject({ deviceKey: tablet?.deviceKey });
});

test('creates separate bindings when two users have the same device', async () => {
  await using server = await startWith([{ userId: 'bob', userName: 'bob', passwordHash }]);
  const [ofAlice, ofBob] = [
    await associate(server, await createTokens(server)),
    await associate(server, await createTokens(server, { userId: 'bob' })),
  ];
  expect(ofAlice).not.toBe(ofBob);
  expect(await server.appContext.store.devices.count()).toBe(2);
});

test('removes the binding of the oldest association when a user exceeds the maximum', async () => {
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

test('creates one device from 100 concurrent requests; it accepts the last token returned', async () => {
  await using server = await startWith();
  const token = await createTokens(server);
  const returned = await Promise.all(Array.from({ length: 100 }, () => associate(server, token)));
  expect(new Set(returned).size).toBe(100);
  const devices = await server.appContext.store.devices.list();
  expect(devices).toHaveLength(1);
  expect(returned.map(hashSecret)).toContain(devices[0]?.tokenHash);
});

test('removing a user removes its devices', async () => {
  await using server = await startWith();
  await associate(server, await createTokens(server));
  await server.admin.userIdentities.remove({ params: { id: alice.userId } });
  expect(await server.appContext.store.devices.count()).toBe(0);
});
