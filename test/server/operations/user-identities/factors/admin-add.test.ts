import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { createSession, expectRejected } from '../callers.ts';
import { factorOf, mainEmail, mainNumber, notices, otherMobile, startWithBob, workEmail } from './factor-fixtures.ts';

type FactorInput = Parameters<
  IamClient['userIdentities']['factors']['adminAdd']
>[0]['body']['authenticationFactors'][number];

const addTo = (id: string, as: IamClient, ...authenticationFactors: FactorInput[]) =>
  as.userIdentities.factors.adminAdd({ params: { id }, body: { authenticationFactors } });
const add = (as: IamClient, ...factors: FactorInput[]) => addTo('bob', as, ...factors);
const email = (address: string, more: object = {}): FactorInput => ({ contactType: 'EMAIL', email: address, ...more });

describe('a new contact', () => {
  test('is stored as sent under the requested or a generated id, and is verified', async () => {
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
    expect((await notices(server)).map(({ to, purpose }) => [to, purpose])).toEqual([
      [mainEmail, 'factor-changed'],
      [mainNumber, 'factor-changed'],
    ]);
  });

  test('has no tags if the tags are the string of an empty list', async () => {
    await using server = await startWithBob({ factors: [] });
    await add(server.admin, email('x@example.com', { id: 'x', tags: ' [] ' }));
    expect(await factorOf(server, 'x')).toMatchObject({ tags: [] });
  });
});

describe('is added with all others of the request, or none is added', () => {
  const bad: [string, FactorInput, number, string][] = [
    ['an id of the user', email('x@example.com', { id: 'work' }), 412, 'FACTOR_TAKEN'],
    ['an id of another user', email('x@example.com', { id: 'of-alice' }), 412, 'FACTOR_TAKEN'],
    ['an id of the same request', email('x@example.com', { id: 'good' }), 412, 'FACTOR_TAKEN'],
    ['a contact that the user has', email(workEmail.toUpperCase()), 412, 'FACTOR_TAKEN'],
    ['a main contact', email(mainEmail), 412, 'FACTOR_TAKEN'],
    ['no contact', { contactType: 'EMAIL' }, 422, 'CONTACT_AMBIGUOUS'],
    [
      'a second e-mail address with the tag MARKED_RESOURCES',
      email('x@e.example', { tags: '["MARKED_RESOURCES"]' }),
      422,
      'TAG_TAKEN',
    ],
    ['a reserved word as id', email('x@example.com', { id: 'main-email' }), 422, 'FIELD_VALUE'],
    ['tags as a string that is not JSON', email('x@example.com', { tags: 'a,b' }), 422, 'FIELD_VALUE'],
    ['tags as a string without a list', email('x@example.com', { tags: '{"a":1}' }), 422, 'FIELD_VALUE'],
    ['tags as a string with numbers', email('x@example.com', { tags: '[1]' }), 422, 'FIELD_VALUE'],
    [
      'tags as a string with too many',
      email('x@example.com', { tags: JSON.stringify([...'a'.repeat(21)]) }),
      422,
      'FIELD_VALUE',
    ],
  ];
  test.each(bad)('cannot be added with %s', async (_, input, status, code) => {
    await using server = await startWithBob();
    await addTo('alice-id', server.admin, email('a@example.com', { id: 'of-alice' }));
    const good = email('good@example.com', { id: 'good' });
    await expectRejected(server, () => add(server.admin, good, input), { status, code });
  });

  test('is rejected if the user has twenty', async () => {
    await using server = await startWithBob();
    const many = Array.from({ length: 18 }, (_, at) => email(`m${at}@example.com`));
    await expectRejected(server, () => add(server.admin, ...many), { status: 422, code: 'TOO_MANY_FACTORS' });
    await expect(add(server.admin, ...many.slice(1))).resolves.toHaveLength(17);
  });
});
