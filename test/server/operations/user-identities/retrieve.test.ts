import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { decryptMessageCode } from '../../../../src/server/messaging/messages.ts';
import type { TestServer } from '../../../harness.ts';
import { lastCode, messagesTo } from '../otp-inbox.ts';
import { asUser } from '../user-token.ts';
import { reset, retrieve } from './flows.ts';
import { type ApiResponse, alice, startWith } from './login-fixtures.ts';

const userMobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
const others = [
  { userId: 'locked', userName: 'locked', userEmail: 'locked@example.com', locked: true },
  { userId: 'silent', userName: 'silent' },
  { userId: 'double', userName: 'double', userEmail: 'double@example.com', userMobile },
];

test('sends one code to each verified main contact', async () => {
  await using server = await startWith(others);
  expect(await retrieve(server, 'double')).toMatchObject({ status: 201, json: { username: 'double' } });
  const messages = await messagesTo(server);
  expect(messages.map(({ to, purpose }) => [to, purpose])).toEqual([
    ['double@example.com', 'recovery'],
    ['+5511987654321', 'recovery'],
  ]);
  expect(new Set(messages.map((message) => decryptMessageCode(message, server.appContext.storeSecret))).size).toBe(1);
});

test('sends nothing to an unverified contact', async () => {
  await using server = await startWith(others);
  await server.appContext.store.transaction(async (tx) => {
    const user = await tx.users.get('double');
    if (user) await tx.users.replace({ ...user, emailVerified: false });
  });
  await retrieve(server, 'double');
  expect((await messagesTo(server)).map(({ to }) => to)).toEqual(['+5511987654321']);
});

test.each([alice.userId, 'ALICE', 'aLiCe@Example.com', 'Alice.Smith'])(
  'finds the user by any login identifier: %s',
  async (name) => {
    await using server = await startWith();
    expect(await retrieve(server, name)).toMatchObject({ status: 201, json: { username: name } });
    expect(await messagesTo(server, alice.userEmail)).toHaveLength(1);
  },
);

describe('for known and unknown names', () => {
  const names = ['Alice!', 'locked', 'silent', 'double', 'absent'];

  test('returns the same status, body and headers to an identified client', async () => {
    await using server = await startWith([...others, { userId: 'a', userName: 'Alice!', userEmail: 'a@example.com' }]);
    const responses: ApiResponse[] = [];
    for (const name of names) responses.push(await retrieve(server, name));
    for (const [at, { status, text, headers }] of responses.entries()) {
      expect(text).toBe(JSON.stringify({ username: names[at] }));
      expect([status, headers]).toEqual([201, responses[1]?.headers]);
    }
    expect(new Set((await messagesTo(server)).map(({ to }) => to))).toEqual(
      new Set(['a@example.com', 'double@example.com', '+5511987654321']),
    );
  });

  test('returns the same response on behalf of a user', async () => {
    await using server = await startWith();
    const user = await asUser(server);
    for (const userName of ['alice', 'unknown'])
      expect(await user.userIdentities.retrieve({ body: { userName } })).toMatchObject({ username: userName });
    expect(Object.keys(await user.userIdentities.retrieve({ body: { userName: 'alice' } }))).not.toContain('userId');
  });

  test('throttles equally: five an hour for one name in any case', async () => {
    await using server = await startWith(others);
    for (const name of names) {
      const responses: ApiResponse[] = [];
      for (const spelt of [name, name.toUpperCase(), name, name, name, name])
        responses.push(await retrieve(server, spelt));
      expect(
        responses.map(({ status }) => status),
        name,
      ).toEqual([201, 201, 201, 201, 201, 429]);
      expect(responses[5]).toMatchObject({ json: [{ code: 'TOO_MANY_CODES' }], headers: { 'retry-after': '3600' } });
    }
    server.clock.advance(3600);
    for (const name of names) expect(await retrieve(server, name)).toMatchObject({ status: 201 });
  });
});

test('sends five codes an hour to a contact for any names, and the last one stays valid', async () => {
  await using server = await startWith();
  for (let time = 0; time < 5; time += 1) await retrieve(server, 'Alice');
  const code = await lastCode(server, alice.userEmail);
  for (const name of [alice.userId, alice.userEmail, 'alice.smith'])
    expect(await retrieve(server, name)).toMatchObject({ status: 201, json: { username: name } });
  expect(await messagesTo(server, alice.userEmail)).toHaveLength(5);
  expect(await reset(server, code)).toMatchObject({ status: 201 });
});

describe('an authenticated client', () => {
  const requestCode = (as: IamClient, userName: string) => as.userIdentities.retrieve({ body: { userName } });
  const seed = { businesses: [{ businessId: 'b1', businessName: 'One' }] };

  test('receives the ids', async () => {
    await using server = await startWith([{ userId: 'carol', userName: 'carol', businessId: 'b1' }, ...others], {
      seed,
    });
    const basic = await server.makeClient();
    const { accessToken } = await server.as({ basic }).clientIdentities.login();
    for (const as of [server.as({ basic }), server.as({ token: accessToken })])
      expect(await requestCode(as, 'ALICE')).toEqual(
        expect.objectContaining({ userId: alice.userId, username: 'ALICE' }),
      );
    expect(await requestCode(server.admin, 'carol')).toMatchObject({
      userId: 'carol',
      businessId: 'b1',
      username: 'carol',
    });
    expect(await requestCode(server.admin, 'locked')).toMatchObject({ userId: 'locked' });
    expect(await messagesTo(server, 'locked@example.com')).toEqual([]);
  });
});

test('stores the name of the request in no readable form', async () => {
  await using server = await startWith();
  await retrieve(server, 'canary-of-unknown');
  expect(JSON.stringify(await server.dump()) + server.log.join('')).not.toContain('canary');
});

/** The work is also the same: no hash and one transaction for any name. */
test('needs as many transactions for a known name as for an unknown one', async () => {
  await using server = await startWith(others);
  expect(await transactionsOf(server, 'unknown')).toBe(await transactionsOf(server, 'Alice'));
  expect(await transactionsOf(server, 'locked')).toBe(await transactionsOf(server, 'Alice'));
});

async function transactionsOf(server: TestServer, name: string): Promise<number> {
  const { store } = server.appContext;
  const { transaction } = store;
  let count = 0;
  Object.assign(server.appContext, {
    store: {
      ...store,
      transaction: (work: Parameters<typeof transaction>[0]) => transaction(work).finally(() => (count += 1)),
    },
  });
  await retrieve(server, name);
  Object.assign(server.appContext, { store });
  return count;
}
