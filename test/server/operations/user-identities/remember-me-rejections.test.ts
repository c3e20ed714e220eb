/** Requests that remember-me rejects without a change. */
import { describe, expect, test } from 'vitest';
import { alice, passwordHash, post, startWith } from './login-fixtures.ts';
import {
  createPhoneSession,
  identifiedPath,
  path,
  type RememberMeInput,
  rememberMe,
  toRememberMeInput,
} from './remember-me-fixtures.ts';
import { associate, createTokens } from './session-fixtures.ts';

const bob = { userId: 'bob', userName: 'bob', passwordHash };

describe('credentials that do not match are rejected with the same error and are not consumed', () => {
  const invalidInputs: Record<string, (input: RememberMeInput, others: RememberMeInput) => object> = {
    'an unknown user': (input) => ({ ...input, userName: 'unknown' }),
    'another user': (input) => ({ ...input, userName: 'bob' }),
    'another user with its device': (input, { deviceTokenId }) => ({ ...input, userName: 'bob', deviceTokenId }),
    "another user's device": (input, { deviceTokenId }) => ({ ...input, deviceTokenId }),
    "another user's refresh token": (input, { refreshToken }) => ({ ...input, refreshToken }),
    'an unknown device': (input) => ({ ...input, deviceTokenId: 'x'.repeat(43) }),
    'an unknown refresh token': (input) => ({ ...input, refreshToken: '00000000-0000-4000-8000-000000000000' }),
    'no user': ({ userName: _, ...input }) => input,
    'no refresh token': ({ refreshToken: _, ...input }) => input,
    'no device': ({ deviceTokenId: _, ...input }) => input,
    'an unknown field': (input) => ({ ...input, level: 'AUTH-MFA' }),
    'a field of another type': (input) => ({ ...input, userName: 7 }),
    'a string that is too long': (input) => ({ ...input, userName: 'x'.repeat(1000) }),
    'a list': (input) => [input],
  };
  test.each(Object.entries(invalidInputs))('%s', async (_what, modify) => {
    await using server = await startWith([bob]);
    const phone = await createPhoneSession(server);
    const bobs = await createTokens(server, { userId: 'bob' });
    const ofBob = { ...bobs, userName: 'bob', deviceTokenId: await associate(server, bobs) };
    const before = await server.dump();
    expect(await rememberMe(server, modify(toRememberMeInput(phone), toRememberMeInput(ofBob)))).toBeUndefined();
    expect(await server.dump()).toEqual(before);
    expect(await rememberMe(server, toRememberMeInput(phone))).toBeDefined();
    expect(await rememberMe(server, toRememberMeInput(ofBob))).toBeDefined();
  });

  test("another user's device, for a session that is bound to none", async () => {
    await using server = await startWith([bob]);
    const { refreshToken } = await createTokens(server);
    const deviceTokenId = await associate(server, await createTokens(server, { userId: 'bob' }));
    const before = await server.dump();
    for (const userName of [alice.userName, 'bob'])
      expect(await rememberMe(server, { userName, refreshToken, deviceTokenId })).toBeUndefined();
    expect(await server.dump()).toEqual(before);
  });

  test('another device of the user than the one that the session is bound to', async () => {
    await using server = await startWith();
    const phone = await createPhoneSession(server);
    const tablet = await associate(server, await createTokens(server), 'tablet');
    const before = await server.dump();
    expect(await rememberMe(server, { ...toRememberMeInput(phone), deviceTokenId: tablet })).toBeUndefined();
    expect(await server.dump()).toEqual(before);
  });

  test('a deviceTokenId that was replaced', async () => {
    await using server = await startWith();
    const phone = await createPhoneSession(server);
    const deviceTokenId = await associate(server, phone);
    expect(await rememberMe(server, toRememberMeInput(phone))).toBeUndefined();
    expect(await rememberMe(server, { ...toRememberMeInput(phone), deviceTokenId })).toBeDefined();
  });

  test('another client, by its name and by its secret', async () => {
    await using server = await startWith();
    const other = await server.makeClient();
    const phone = await createPhoneSession(server);
    const before = await server.dump();
    expect(await rememberMe(server, toRememberMeInput(phone), `${path}?clientId=${other.clientId}`)).toBeUndefined();
    const request = server.as({ basic: other }).userIdentities.rememberMe({ body: toRememberMeInput(phone) });
    await expect(request).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    expect(await server.dump()).toEqual(before);
  });

  test('malformed bodies', async () => {
    await using server = await startWith();
    const json = { 'content-type': 'application/json' };
    const before = await server.dump();
    for (const body of ['', '{', 'null', '7', '{"__proto__":{}}', '['.repeat(50) + ']'.repeat(50)])
      expect(await post(server, identifiedPath, json, body)).toMatchObject({
        status: 401,
        json: [{ code: 'CREDENTIALS_INVALID' }],
      });
    expect(await post(server, identifiedPath, json, ' '.repeat(1_000_001))).toMatchObject({ status: 413 });
    expect(await post(server, identifiedPath, { 'content-type': 'text/plain' }, '{}')).toMatchObject({ status: 415 });
    expect(await server.dump()).toEqual(before);
  });
});
