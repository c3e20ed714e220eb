import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../../src/contract/prefix.ts';
import type { TestServer } from '../../../harness.ts';
import { adminClient } from '../../../harness.ts';
import { lastCode } from '../otp-inbox.ts';
import { createSession, expectRejected, firstAdministrator, rowOf } from './callers.ts';
import { alice, basic, logIn, startWith } from './login-fixtures.ts';

const params = { id: alice.userId };
const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
const businesses = ['b1', 'b2'].map((businessId) => ({ businessId, businessName: businessId }));

const messages = (server: TestServer) => server.appContext.store.messages.list();

/** Sends a PATCH over HTTP with any body. */
async function patch(server: TestServer, id: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}${servicePrefix}/user-identities/${id}`, {
    method: 'PATCH',
    headers: {
      authorization: basic(adminClient.clientId, adminClient.clientSecret),
      'content-type': 'application/json',
      ...headers,
    },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    codes: text === '' ? [] : (JSON.parse(text) as { code: string }[]).map(({ code }) => code),
  };
}

describe('changes', () => {
  const changes: [object, object][] = [
    [{}, {}],
    [{ lead: true }, { lead: true }],
    [{ userName: 'Alicia' }, { userName: 'Alicia' }],
    [{ userEmail: 'New@example.com' }, { userEmail: 'New@example.com', emailVerified: true }],
    [{ userMobile: mobile }, { userMobile: mobile, mobileVerified: true }],
    [{ businessId: 'b1' }, { businessId: 'b1' }],
    [
      { userName: 'A', lead: true, businessId: 'b2' },
      { userName: 'A', lead: true, businessId: 'b2' },
    ],
  ];
  test.each(changes)('%j and nothing else', async (body, changed) => {
    await using server = await startWith([], { seed: { businesses } });
    const before = await rowOf(server);
    await expect(server.admin.userIdentities.update({ params, body })).resolves.toBeUndefined();
    expect(await rowOf(server)).toEqual({ ...before, ...changed });
  });

  test('clears optional fields with null, and leaves the others as they are', async () => {
    await using server = await startWith(
      [{ userId: 'bob', userName: 'bob', userEmail: 'bob@example.com', userMobile: mobile, businessId: 'b1' }],
      { seed: { businesses } },
    );
    const { userEmail: _email, userMobile: _mobile, businessId: _business, ...rest } = await rowOf(server, 'bob');
    const body = { userEmail: null, userMobile: null, businessId: null };
    await server.admin.userIdentities.update({ params: { id: 'bob' }, body });
    expect(await rowOf(server, 'bob')).toEqual({ ...rest, emailVerified: false, mobileVerified: false });
    const cleared = await rowOf(server, 'bob');
    for (const field of ['userName', 'lead'])
      expect(await patch(server, 'bob', JSON.stringify({ [field]: null }))).toMatchObject({ status: 204 });
    expect(await rowOf(server, 'bob')).toEqual(cleared);
  });

  test('changes the login identifiers of the user as well', async () => {
    await using server = await startWith();
    await server.admin.userIdentities.update({ params, body: { userName: 'Alicia', userEmail: 'alicia@example.com' } });
    for (const name of ['alicia', 'alicia@example.com', 'alice.smith'])
      await expect(logIn(server, { name })).resolves.toBeDefined();
    for (const name of ['alice', alice.userEmail])
      await expect(logIn(server, { name })).rejects.toMatchObject({ status: 401 });
  });
});

describe('sends a notice', () => {
  test('to the previous e-mail address and the previous mobile number', async () => {
    await using server = await startWith();
    await server.admin.userIdentities.update({ params, body: { userMobile: mobile } });
    expect(await messages(server)).toMatchObject([{ to: alice.userEmail, purpose: 'factor-changed' }]);
    const body = { userEmail: 'new@example.com', userMobile: { ...mobile, phoneNumber: 12345 } };
    await server.admin.userIdentities.update({ params, body });
    const sent = (await messages(server)).slice(1);
    expect(sent).toMatchObject([
      { to: alice.userEmail, channel: 'email', purpose: 'contact-changed' },
      { to: '+5511987654321', channel: 'sms', purpose: 'contact-changed' },
    ]);
    for (const { text } of sent) expect(text).not.toMatch(/new@|12345/);
    await server.admin.userIdentities.update({ params, body: { userEmail: null, userMobile: null } });
    expect((await messages(server)).slice(3).map(({ to }) => to)).toEqual(['new@example.com', '+551112345']);
  });

  test('not for an unchanged contact, but for a changed user name, and only about login identifiers', async () => {
    await using server = await startWith();
    await server.admin.userIdentities.update({ params, body: { userEmail: alice.userEmail, lead: true } });
    expect(await messages(server)).toEqual([]);
    await server.admin.userIdentities.update({ params, body: { userName: 'Alicia' } });
    expect(await messages(server)).toMatchObject([{ to: alice.userEmail, purpose: 'login-changed' }]);
    const [{ text } = { text: '' }] = await messages(server);
    expect(text).toContain('A login identifier was added to your account: Alicia.');
    expect(text).toContain('A login identifier was removed from your account: Alice.');
  });
});

test('voids the codes of a removed contact but not those of an unchanged one', async () => {
  await using server = await startWith();
  const as = await createSession(server, alice.userId);
  const send = () => as.userIdentities.factors.sendToken({ params: { id: 'main-email' } });
  const validate = async () => {
    const body = { token: await lastCode(server, alice.userEmail) };
    return as.userIdentities.factors.validateToken({ params: { id: 'main-email' }, body });
  };
  await send();
  await server.admin.userIdentities.update({ params, body: { userName: 'Alicia' } });
  await expect(validate()).resolves.toBeDefined();
  await send();
  await server.admin.userIdentities.update({ params, body: { userEmail: 'new@example.com' } });
  await server.admin.userIdentities.update({ params, body: { userEmail: alice.userEmail } });
  await expect(validate()).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
});

describe('a change of the business', () => {
  test('ends the memberships as a user of the previous business and no others', async () => {
    const pairs = {
      businessUsers: [
        { businessId: 'b1', userId: 'bob' },
        { businessId: 'b1', userId: 'eve' },
      ],
    };
    const groups = [
      { groupName: 'pairs', roles: ['PAIR'], ...pairs },
      { groupName: 'own', roles: ['OWN'], users: ['bob'], businesses: ['b1'] },
    ];
    const people = ['bob', 'eve'].map((userId) => ({ userId, userName: userId, businessId: 'b1' }));
    await using server = await startWith(people, { seed: { businesses, groups } });
    const stored = async () =>
      (await server.appContext.store.memberships.list())
        .filter(({ memberId }) => ['bob', 'eve', 'b1'].includes(memberId))
        .map(({ kind, memberId }) => `${kind} ${memberId}`)
        .sort();
    const all = await stored();
    await server.admin.userIdentities.update({ params: { id: 'bob' }, body: { businessId: 'b1', lead: true } });
    expect(await stored()).toEqual(all);
    await server.admin.userIdentities.update({ params: { id: 'bob' }, body: { businessId: 'b2' } });
    expect(await stored()).toEqual(['business b1', 'businessUser eve', 'user bob']);
    await server.admin.userIdentities.update({ params: { id: 'bob' }, body: { businessId: 'b1' } });
    expect(await stored()).toEqual(['business b1', 'businessUser eve', 'user bob']);
  });

  test('is rejected if the business is unknown or no administrator would remain', async () => {
    const groups = [{ groupName: 'iam-administrators', businesses: ['b1'] }];
    await using server = await startWith([], { seed: { businesses, groups } });
    const move = (businessId: string | null) => server.admin.userIdentities.update({ params, body: { businessId } });
    await expectRejected(server, () => move('b3'), { status: 412, code: 'BUSINESS_UNKNOWN' });
    await move('b1');
    await server.admin.userIdentities.lock({ body: { userId: (await firstAdministrator(server)).userId } });
    for (const businessId of ['b2', null])
      await expectRejected(server, () => move(businessId), { status: 412, code: 'LAST_ADMINISTRATOR' });
  });
});

describe('rejects', () => {
  test('a login identifier of another user, in any case or normalization', async () => {
    await using server = await startWith([
      { userId: 'rene', userName: 'Ren\u00e9', userEmail: 'rene@example.com', identities: ['r2'] },
    ]);
    for (const body of [
      { userName: 'RENE\u0301' },
      { userName: 'Rene' },
      { userEmail: 'RENE@example.com' },
      { userName: 'R2' },
    ])
      await expectRejected(server, () => server.admin.userIdentities.update({ params, body }), {
        status: 412,
        code: 'LOGIN_NAME_TAKEN',
      });
    await expect(server.admin.userIdentities.update({ params, body: { userName: 'ALICE' } })).resolves.toBeUndefined();
  });

  test('a stale ETag', async () => {
    await using server = await startWith();
    const ifMatch = (await server.admin.call('user-identities.get', { params })).headers.etag;
    const update = () =>
      server.admin.userIdentities.update({ params, body: { userEmail: 'new@example.com' }, ifMatch });
    await expect(update()).resolves.toBeUndefined();
    await expectRejected(server, update, { status: 412, code: 'CHANGED_MEANWHILE' });
  });
});
