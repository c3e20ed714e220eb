import { describe, expect, test } from 'vitest';
import { appClientId, type TestServer } from '../../../harness.ts';
import { alice, claimsOf, passwordHash, post, postJson, rolesIn, startWith } from './people.ts';
import { associate, changeSession, days, endings, renew, sessionOf, type Tokens, tokensOf } from './renewing.ts';

const path = '/user-identities/remember-me';
const named = `${path}?clientId=${appClientId}`;

interface Shown {
  readonly userName: string;
  readonly refreshToken: string;
  readonly deviceTokenId: string;
}

/** Logs in by what is shown; undefined where that is refused, in the one way in which anything is. */
async function remember(server: TestServer, shown: object, target = named): Promise<Tokens | undefined> {
  const answer = await postJson(server, target, shown);
  if (answer.status === 201) return answer.json as Tokens;
  expect(answer).toMatchObject({
    status: 401,
    text: '[{"code":"CREDENTIALS_INVALID","message":"The credentials are not valid."}]',
    headers: { 'www-authenticate': 'Basic realm="iam", charset="UTF-8"' },
  });
  return undefined;
}

/** Alice, whose session is bound to her phone. */
async function onPhone(server: TestServer, start: Parameters<typeof tokensOf>[1] = {}): Promise<Tokens & Shown> {
  const token = await tokensOf(server, start);
  return { ...token, userName: alice.userName, deviceTokenId: await associate(server, token) };
}

const shownOf = ({ userName, refreshToken, deviceTokenId }: Shown): Shown => ({
  userName,
  refreshToken,
  deviceTokenId,
});

const bob = { userId: 'bob', userName: 'bob', passwordHash };

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

describe('what does not belong together is refused in one way, and uses nothing up', () => {
  const wrongs: Record<string, (shown: Shown, others: Shown) => object> = {
    'an unknown user': (shown) => ({ ...shown, userName: 'nobody' }),
    'another user': (shown) => ({ ...shown, userName: 'bob' }),
    'another user with its device': (shown, { deviceTokenId }) => ({ ...shown, userName: 'bob', deviceTokenId }),
    "another user's device": (shown, { deviceTokenId }) => ({ ...shown, deviceTokenId }),
    "another user's refresh token": (shown, { refreshToken }) => ({ ...shown, refreshToken }),
    'an unknown device': (shown) => ({ ...shown, deviceTokenId: 'x'.repeat(43) }),
    'an unknown refresh token': (shown) => ({ ...shown, refreshToken: '00000000-0000-4000-8000-000000000000' }),
    'no user': ({ userName: _, ...shown }) => shown,
    'no refresh token': ({ refreshToken: _, ...shown }) => shown,
    'no device': ({ deviceTokenId: _, ...shown }) => shown,
    'a field too much': (shown) => ({ ...shown, level: 'AUTH-MFA' }),
    'a field of another type': (shown) => ({ ...shown, userName: 7 }),
    'a text that is too long': (shown) => ({ ...shown, userName: 'x'.repeat(1000) }),
    'a list': (shown) => [shown],
  };
  test.each(Object.entries(wrongs))('%s', async (_what, spoil) => {
    await using server = await startWith([bob]);
    const phone = await onPhone(server);
    const bobs = await tokensOf(server, { userId: 'bob' });
    const ofBob = { ...bobs, userName: 'bob', deviceTokenId: await associate(server, bobs) };
    const before = await server.dump();
    expect(await remember(server, spoil(shownOf(phone), shownOf(ofBob)))).toBeUndefined();
    expect(await server.dump()).toEqual(before);
    expect(await remember(server, shownOf(phone))).toBeDefined();
    expect(await remember(server, shownOf(ofBob))).toBeDefined();
  });

  test('another device of the user, than the one that the session is bound to', async () => {
    await using server = await startWith();
    const phone = await onPhone(server);
    const tablet = await associate(server, await tokensOf(server), 'tablet');
    const before = await server.dump();
    expect(await remember(server, { ...shownOf(phone), deviceTokenId: tablet })).toBeUndefined();
    expect(await server.dump()).toEqual(before);
  });

  test('a deviceTokenId in whose place another one is', async () => {
    await using server = await startWith();
    const phone = await onPhone(server);
    const deviceTokenId = await associate(server, phone);
    expect(await remember(server, shownOf(phone))).toBeUndefined();
    expect(await remember(server, { ...shownOf(phone), deviceTokenId })).toBeDefined();
  });

  test('another client, by its name and by its secret', async () => {
    await using server = await startWith();
    const other = await server.makeClient();
    const phone = await onPhone(server);
    const before = await server.dump();
    expect(await remember(server, shownOf(phone), `${path}?clientId=${other.clientId}`)).toBeUndefined();
    const calling = server.as({ basic: other }).userIdentities.rememberMe({ body: shownOf(phone) });
    await expect(calling).rejects.toMatchObject({ status: 401, code: 'CREDENTIALS_INVALID' });
    expect(await server.dump()).toEqual(before);
  });

  test('bodies that can not be read', async () => {
    await using server = await startWith();
    const json = { 'content-type': 'application/json' };
    const before = await server.dump();
    for (const body of ['', '{', 'null', '7', '{"__proto__":{}}', '['.repeat(50) + ']'.repeat(50)])
      expect(await post(server, named, json, body)).toMatchObject({
        status: 401,
        json: [{ code: 'CREDENTIALS_INVALID' }],
      });
    expect(await post(server, named, json, ' '.repeat(1_000_001))).toMatchObject({ status: 413 });
    expect(await post(server, named, { 'content-type': 'text/plain' }, '{}')).toMatchObject({ status: 415 });
    expect(await server.dump()).toEqual(before);
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

test('soft errors change nothing: what is refused here is refused as no credentials', async () => {
  await using server = await startWith([], { flags: { 'soft-errors': true } });
  expect(await remember(server, {})).toBeUndefined();
});
