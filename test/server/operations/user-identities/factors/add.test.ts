import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { sharedServer } from '../../access.ts';
import { createSession, expectRejected } from '../callers.ts';
import {
  factorIds,
  factorOf,
  factors,
  mainEmail,
  mainNumber,
  mobile,
  notices,
  otherMobile,
  settleAll,
  startWithBob,
  workEmail,
} from './factor-fixtures.ts';

type FactorInput = Parameters<
  IamClient['userIdentities']['factors']['add']
>[0]['body']['authenticationFactors'][number];

const add = (as: IamClient, ...authenticationFactors: FactorInput[]) =>
  as.userIdentities.factors.add({ body: { authenticationFactors } });
const email = (address: string, ...tags: string[]): FactorInput => ({ contactType: 'EMAIL', email: address, tags });

describe('a new contact', () => {
  test('is stored as sent with a new id, and is not verified', async () => {
    await using server = await startWithBob({ factors: [] });
    const as = await createSession(server, 'bob');
    const added = await add(
      as,
      { contactType: 'EMAIL', email: 'Bob@Home.example', tags: ['b', 'a', 'b'] },
      { contactType: 'MOBILE', mobile: otherMobile },
    );
    expect(added).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{24}$/) }, { id: expect.any(String) }]);
    const [first, second] = await Promise.all(added.map(({ id }) => factorOf(server, id)));
    const common = { userId: 'bob', verified: false, createdAt: server.clock.now().toISOString() };
    expect(first).toEqual({
      ...common,
      factorId: added[0]?.id,
      contactType: 'EMAIL',
      email: 'Bob@Home.example',
      tags: ['b', 'a'],
    });
    expect(second).toEqual({
      ...common,
      factorId: added[1]?.id,
      contactType: 'MOBILE',
      mobile: otherMobile,
      tags: [],
    });
    const sent = await notices(server);
    expect(sent.map(({ to, purpose }) => [to, purpose])).toEqual([
      [mainEmail, 'factor-changed'],
      [mainNumber, 'factor-changed'],
    ]);
    for (const { text } of sent)
      expect(text.split('\n')).toEqual([
        'A contact was added to your account, to which codes are sent once it is verified: B***@Home.example.',
        'A contact was added to your account, to which codes are sent once it is verified: ***0123.',
        'If that was not you, have an administrator lock the account.',
      ]);
  });

  test('may be a contact of another user', async () => {
    await using server = await startWithBob();
    await expect(add(await createSession(server, 'alice-id'), email(workEmail))).resolves.toHaveLength(1);
  });
});

describe('is added with all others of the request, or none is added', () => {
  const good = email('good@example.com');
  const bad: [string, FactorInput, number, string][] = [
    [
      'a contact of the other kind',
      { contactType: 'EMAIL', mobile: { ...otherMobile, areaCode: 8 } },
      422,
      'CONTACT_AMBIGUOUS',
    ],
    ['no contact', { contactType: 'MOBILE' }, 422, 'CONTACT_AMBIGUOUS'],
    [
      'two contacts',
      { contactType: 'EMAIL', email: 'x@example.com', mobile: { ...otherMobile, areaCode: 9 } },
      422,
      'CONTACT_AMBIGUOUS',
    ],
    ['the main e-mail', email(mainEmail.toUpperCase()), 412, 'FACTOR_TAKEN'],
    ['the main mobile', { contactType: 'MOBILE', mobile }, 412, 'FACTOR_TAKEN'],
    [
      'the main mobile in other parts',
      { contactType: 'MOBILE', mobile: { regionCode: 5, areaCode: 511, phoneNumber: 987654321 } },
      412,
      'FACTOR_TAKEN',
    ],
    ['a contact that the user has', email('Bob@Work.example'), 412, 'FACTOR_TAKEN'],
    ['a contact of the same request', email('GOOD@example.com'), 412, 'FACTOR_TAKEN'],
    [
      'a second e-mail address with the tag MARKED_RESOURCES',
      email('m@example.com', 'MARKED_RESOURCES'),
      422,
      'TAG_TAKEN',
    ],
  ];
  const shared = sharedServer(() => startWithBob());
  test.each(bad)('cannot be added with %s', async (_, input, status, code) => {
    const server = shared();
    const as = await createSession(server, 'bob');
    await expectRejected(server, () => add(as, good, input), { status, code });
    await expectRejected(server, () => add(as, good, input, email('after@example.com')), { status, code });
  });

  test('may have the tag MARKED_RESOURCES once for each kind', async () => {
    await using server = await startWithBob({ factors: [] });
    const as = await createSession(server, 'bob');
    const marked = email('m@example.com', 'MARKED_RESOURCES');
    await expectRejected(server, () => add(as, marked, email('n@example.com', 'MARKED_RESOURCES')), {
      status: 422,
      code: 'TAG_TAKEN',
    });
    const phone: FactorInput = { contactType: 'MOBILE', mobile: otherMobile, tags: ['MARKED_RESOURCES'] };
    await expect(add(as, marked, phone)).resolves.toHaveLength(2);
  });

  test('is rejected if the user has twenty, over all requests', async () => {
    await using server = await startWithBob({ factors: [] });
    const as = await createSession(server, 'bob');
    const many = (count: number, name: string) =>
      Array.from({ length: count }, (_, at) => email(`${name}${at}@e.example`));
    await expectRejected(server, () => add(as, ...many(21, 'a')), { status: 422, code: 'TOO_MANY_FACTORS' });
    await add(as, ...many(19, 'b'));
    await expectRejected(server, () => add(as, ...many(2, 'c')), { status: 422, code: 'TOO_MANY_FACTORS' });
    await add(as, ...many(1, 'c'));
    await expectRejected(server, () => add(as, email('d@example.com')), { status: 422, code: 'TOO_MANY_FACTORS' });
  });

  test('is rejected with a hundred others if one is invalid', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const many = Array.from({ length: 100 }, (_, at) => email(`m${at}@example.com`));
    await expectRejected(server, () => add(as, ...many, { contactType: 'EMAIL' }), {
      status: 422,
      code: 'FIELD_VALUE',
    });
  });
});

test('is added by one of 50 concurrent requests', async () => {
  await using server = await startWithBob();
  const as = await createSession(server, 'bob');
  const ended = await settleAll(Array.from({ length: 50 }, () => add(as, email('shared@example.com'))));
  expect(ended.filter((one) => one === 'done')).toHaveLength(1);
  expect(ended.filter((one) => one === 'FACTOR_TAKEN')).toHaveLength(49);
  expect(await factorIds(server)).toHaveLength(factors.length + 1);
});
