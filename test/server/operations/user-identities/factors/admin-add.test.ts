import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { asMaintainer, createSession, expectRefused, expectRolesNeeded, firstAdministrator } from '../callers.ts';
import {
  factorIds,
  factorOf,
  mainEmail,
  notices,
  otherMobile,
  settleAll,
  startWithBob,
  workEmail,
} from './factor-fixtures.ts';

type FactorInput = Parameters<
  IamClient['userIdentities']['factors']['adminAdd']
>[0]['body']['authenticationFactors'][number];

const addTo = (id: string, as: IamClient, ...authenticationFactors: FactorInput[]) =>
  as.userIdentities.factors.adminAdd({ params: { id }, body: { authenticationFactors } });
const add = (as: IamClient, ...wishes: FactorInput[]) => addTo('bob', as, ...wishes);
const email = (address: string, more: object = {}): FactorInput => ({ contactType: 'EMAIL', email: address, ...more });

describe('a new contact', () => {
  test('is kept as it was sent, under the id that is given or a made one, and is verified', async () => {
    await using server = await startWithBob({ factors: [] });
    const added = await add(server.admin, email('Bob@Home.example', { id: 'home', tags: ['a', 'b', 'a'] }), {
      contactType: 'MOBILE',
      mobile: otherMobile,
      tags: '["c","MARKED_RESOURCES"]',
    });
    expect(added).toEqual([{ id: 'home' }, { id: expect.stringMatching(/^[0-9a-f]{24}$/) }]);
    expect(await factorOf(server, 'home')).toEqual({
      factorId: 'home',
      userId: 'bob',
      contactType: 'EMAIL',
      email: 'Bob@Home.example',
      tags: ['a', 'b'],
      verified: true,
      createdAt: server.clock.now().toISOString(),
    });
    expect(await factorOf(server, added[1]?.id ?? '')).toMatchObject({
      tags: ['c', 'MARKED_RESOURCES'],
      verified: true,
    });
    const as = await createSession(server, 'bob');
    await expect(as.userIdentities.leverageMfa({ body: { factorId: 'home' } })).resolves.toBeDefined();
    expect(await notices(server)).toEqual([]);
  });

  test('has no tags where the text of tags is an empty list', async () => {
    await using server = await startWithBob({ factors: [] });
    await add(server.admin, email('x@example.com', { id: 'x', tags: ' [] ' }));
    expect(await factorOf(server, 'x')).toMatchObject({ tags: [] });
  });
});

describe('all of them are added, or none', () => {
  const bad: [string, FactorInput, number, string][] = [
    ['an id that is taken', email('x@example.com', { id: 'work' }), 412, 'FACTOR_TAKEN'],
    ["an id that another user's has", email('x@example.com', { id: 'of-alice' }), 412, 'FACTOR_TAKEN'],
    ['an id of the same call', email('x@example.com', { id: 'good' }), 412, 'FACTOR_TAKEN'],
    ['a contact that is there', email(workEmail.toUpperCase()), 412, 'FACTOR_TAKEN'],
    ['a main contact', email(mainEmail), 412, 'FACTOR_TAKEN'],
    ['no contact', { contactType: 'EMAIL' }, 422, 'CONTACT_AMBIGUOUS'],
    ['a second marked e-mail', email('x@e.example', { tags: '["MARKED_RESOURCES"]' }), 422, 'TAG_TAKEN'],
    ['a reserved word as id', email('x@example.com', { id: 'main-email' }), 422, 'FIELD_VALUE'],
    ['an impossible id', email('x@example.com', { id: 'a b' }), 422, 'FIELD_VALUE'],
    ['tags as text that is no JSON', email('x@example.com', { tags: 'a,b' }), 422, 'FIELD_VALUE'],
    ['tags as text that is no list', email('x@example.com', { tags: '{"a":1}' }), 422, 'FIELD_VALUE'],
    ['tags as text of numbers', email('x@example.com', { tags: '[1]' }), 422, 'FIELD_VALUE'],
    [
      'tags as text of too many',
      email('x@example.com', { tags: JSON.stringify([...'a'.repeat(21)]) }),
      422,
      'FIELD_VALUE',
    ],
    ['tags as long text', email('x@example.com', { tags: `[]${' '.repeat(4000)}` }), 422, 'FIELD_VALUE'],
    ['a long tag', email('x@example.com', { tags: ['a'.repeat(51)] }), 422, 'FIELD_VALUE'],
    ['tags that are neither', email('x@example.com', { tags: 1 }), 400, 'FIELD_TYPE'],
    ['that it is not verified', email('x@example.com', { verified: false }), 400, 'FIELD_UNKNOWN'],
  ];
  test.each(bad)('not beside %s', async (_, wish, status, code) => {
    await using server = await startWithBob();
    await addTo('alice-id', server.admin, email('a@example.com', { id: 'of-alice' }));
    const good = email('good@example.com', { id: 'good' });
    await expectRefused(server, () => add(server.admin, good, wish), { status, code });
  });

  test('no more than twenty', async () => {
    await using server = await startWithBob();
    const many = Array.from({ length: 18 }, (_, at) => email(`m${at}@example.com`));
    await expectRefused(server, () => add(server.admin, ...many), { status: 422, code: 'TOO_MANY_FACTORS' });
    await expect(add(server.admin, ...many.slice(1))).resolves.toHaveLength(17);
  });
});

describe('is refused', () => {
  const wish = email('x@example.com');

  test('without each of the roles', async () => {
    await using server = await startWithBob();
    await expectRolesNeeded(server, (as) => add(as, wish));
  });

  test('for somebody who is not there', async () => {
    await using server = await startWithBob();
    for (const id of ['nobody', 'me.'])
      await expectRefused(server, () => addTo(id, server.admin, wish), { status: 404, code: 'USER_NOT_FOUND' });
  });

  test('for an administrator without a second proof', async () => {
    await using server = await startWithBob();
    const { userId } = await firstAdministrator(server);
    const maintainer = await asMaintainer(server);
    await expectRefused(server, () => addTo(userId, maintainer, wish), { status: 403, code: 'MFA_MISSING' });
    await expect(add(maintainer, wish)).resolves.toHaveLength(1);
    await expect(addTo(userId, await asMaintainer(server, 'AUTH-MFA'), wish)).resolves.toHaveLength(1);
  });
});

test('of 50 calls for one id at once, one gets it', async () => {
  await using server = await startWithBob({ factors: [] });
  const calls = Array.from({ length: 50 }, (_, at) => add(server.admin, email(`m${at}@example.com`, { id: 'one' })));
  expect((await settleAll(calls)).filter((one) => one === 'done')).toHaveLength(1);
  expect(await factorIds(server)).toEqual(['one']);
});
