import { describe, expect, test } from 'vitest';
import { alice, claimsOf, postJson, rolesIn, startWith } from './people.ts';
import { named, onPhone, path, remember, type Shown, shownOf } from './remembering.ts';
import { changeSession, days, endings, renew, sessionOf, type Tokens, tokensOf } from './renewing.ts';

describe('logs in again', () => {
  test('with a new refresh token in the place of the old one, and a short access token', async () => {
    await using server = await startWith();
    const phone = await onPhone(server);
    const answer = await postJson(server, named, shownOf(phone), { ip: '10.0.0.1' });
    expect(answer).toMatchObject({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      json: { tokenType: 'Bearer', expiresIn: '600', scope: ['READ', 'WRITE'] },
    });
    const token = answer.json as Tokens;
    expect(token.refreshToken).not.toBe(phone.refreshToken);
    expect(claimsOf(token)).toMatchObject({ sub: alice.userId, sid: claimsOf(phone).sid });
    expect(await sessionOf(server, token)).toMatchObject({ remember: true });
    expect(await remember(server, { ...shownOf(phone), refreshToken: token.refreshToken })).toBeDefined();
  });

  test.each([alice.userId, 'ALICE', 'aLiCe@Example.com', 'Alice.Smith'])('as %s', async (userName) => {
    await using server = await startWith();
    expect(await remember(server, { ...shownOf(await onPhone(server)), userName })).toBeDefined();
  });

  test('in a session of no device, which is bound to this one from then on', async () => {
    await using server = await startWith();
    const { userName, deviceTokenId } = await onPhone(server);
    const other = await tokensOf(server);
    const first = await remember(server, { userName, deviceTokenId, refreshToken: other.refreshToken });
    const [phone] = await server.world.store.devices.list();
    expect(await sessionOf(server, other)).toMatchObject({ deviceKey: phone?.deviceKey });
    expect(await renew(server, first?.refreshToken)).toBeUndefined();
    expect(await remember(server, { userName, deviceTokenId, refreshToken: first?.refreshToken })).toBeDefined();
  });

  test('to AUTH-BASIC at most: a second proof has to be given anew, and none comes of it', async () => {
    await using server = await startWith();
    const phone = await onPhone(server, { level: 'AUTH-MFA' });
    await changeSession(server, phone, { smart: true });
    const token = await remember(server, shownOf(phone));
    expect(rolesIn(token ?? phone)).toEqual([
      'AUTH-BASIC',
      'AUTH-IDENTIFIED',
      'CLI-1STPARTY',
      'CLI-AUTH-IDENTIFIED',
      'PERSON',
      'USER',
    ]);
    const identified = await tokensOf(server, { level: 'AUTH-IDENTIFIED' });
    const still = await remember(server, { ...shownOf(phone), refreshToken: identified.refreshToken });
    expect(rolesIn(still ?? phone)).not.toContain('AUTH-BASIC');
  });

  test('to the scope of the session', async () => {
    await using server = await startWith();
    const token = await remember(server, shownOf(await onPhone(server, { scope: ['READ'] })));
    expect(claimsOf(token ?? { accessToken: '' }).scope).toEqual(['READ']);
  });

  test('through a client that shows its secret, a key or a token, of whatever party', async () => {
    await using server = await startWith();
    const pair = await server.makeClient({ scope: ['READ'] });
    const { apiKey } = await server.admin.apiKey.create({ body: { appId: 'test', clientId: pair.clientId } });
    const { accessToken } = await server.as({ basic: pair }).clientIdentities.login();
    const { refreshToken: _first, ...phone } = await onPhone(server);
    let { refreshToken } = await tokensOf(server, { clientId: pair.clientId });
    for (const caller of [server.as({ basic: pair }), server.as({ apiKey }), server.as({ token: accessToken })]) {
      const token = await caller.userIdentities.rememberMe({ body: shownOf({ ...phone, refreshToken }) });
      refreshToken = token.refreshToken ?? '';
      expect(claimsOf(token)).toMatchObject({ client_id: pair.clientId });
    }
  });
});

describe('a refresh token that was used', () => {
  test('ends the session with its newest token', async () => {
    await using server = await startWith();
    const phone = await onPhone(server);
    const chain = [phone.refreshToken];
    for (let turn = 0; turn < 4; turn += 1) {
      const next = await remember(server, { ...shownOf(phone), refreshToken: chain.at(-1) ?? '' });
      chain.push(next?.refreshToken ?? '');
    }
    expect(new Set(chain).size).toBe(5);
    expect(await remember(server, { ...shownOf(phone), refreshToken: chain[1] })).toBeUndefined();
    expect(await remember(server, { ...shownOf(phone), refreshToken: chain[4] })).toBeUndefined();
    expect(await sessionOf(server, phone)).toBeUndefined();
  });

  test('ends it whatever device it is shown with, and by renew-token too', async () => {
    await using server = await startWith();
    const showings: ((phone: Shown) => Promise<unknown>)[] = [
      (phone) => remember(server, { ...shownOf(phone), deviceTokenId: 'x' }),
      (phone) => remember(server, { ...shownOf(phone), userName: 'nobody' }),
      (phone) => renew(server, phone.refreshToken),
    ];
    for (const show of showings) {
      const phone = await onPhone(server);
      const next = await remember(server, shownOf(phone));
      await show(phone);
      expect(await remember(server, { ...shownOf(phone), refreshToken: next?.refreshToken })).toBeUndefined();
    }
  });

  test('has one winner of 100 uses at once, and no session lives on', async () => {
    await using server = await startWith();
    const phone = await onPhone(server);
    const logins = await Promise.all(Array.from({ length: 100 }, () => remember(server, shownOf(phone))));
    const won = logins.filter((login) => login !== undefined);
    expect(won).toHaveLength(1);
    expect(await remember(server, { ...shownOf(phone), refreshToken: won[0]?.refreshToken })).toBeUndefined();
    expect(await sessionOf(server, phone)).toBeUndefined();
  });
});

test('is over after 30 days without use', async () => {
  await using server = await startWith();
  const phone = await onPhone(server);
  server.clock.advance(30 * days - 1);
  const next = await remember(server, shownOf(phone));
  server.clock.advance(30 * days);
  expect(await remember(server, { ...shownOf(phone), refreshToken: next?.refreshToken })).toBeUndefined();
});

test.each(Object.entries(endings))('is refused after %s', async (_what, end) => {
  await using server = await startWith();
  const phone = await onPhone(server);
  const next = await remember(server, shownOf(phone));
  await end(server, next ?? phone);
  expect(await remember(server, { ...shownOf(phone), refreshToken: next?.refreshToken })).toBeUndefined();
});

test('refuses who is neither proven nor of the first party, and keeps the store as it was', async () => {
  await using server = await startWith();
  const foreign = await server.makeClient({ party: '3RDPARTY' });
  const phone = await onPhone(server);
  const before = await server.dump();
  const cases = [
    [path, {}, 'CREDENTIALS_MISSING'],
    [`${path}?clientId=${foreign.clientId}`, {}, 'ROLE_MISSING'],
    [`${path}?clientId=nobody`, {}, 'CREDENTIALS_INVALID'],
    [path, { authorization: 'Bearer a.b.c' }, 'TOKEN_INVALID'],
    [named, { authorization: 'Bearer a.b.c', 'x-api-key': 'x' }, 'CREDENTIALS_AMBIGUOUS'],
  ] as const;
  for (const [target, headers, code] of cases)
    expect(await postJson(server, target, shownOf(phone), headers)).toMatchObject({ status: 401, json: [{ code }] });
  expect(await server.dump()).toEqual(before);
});

test('with soft errors a malformed body is the error array under 200; what is no credential stays one', async () => {
  await using server = await startWith([], { flags: { 'soft-errors': true } });
  const before = await server.dump();
  const answer = await postJson(server, named, { userName: 'phone' });
  expect(answer).toMatchObject({ status: 200, json: [{ code: 'CREDENTIALS_INVALID' }] });
  expect(answer.headers).not.toHaveProperty('www-authenticate');
  expect(await remember(server, { userName: 'ann', refreshToken: 'none', deviceTokenId: 'none' })).toBeUndefined();
  expect(await server.dump()).toEqual(before);
});
