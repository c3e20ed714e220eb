import { describe, expect, test } from 'vitest';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { parseSeed } from '../../../src/server/seed/parse.ts';
import { SeedDocument, type SeedFactor } from '../../../src/server/seed/schema.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { createFakeClock } from '../../harness.ts';

const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };
const work: SeedFactor = { id: 'work', contactType: 'EMAIL', email: 'work@example.com' };

/** A store, and functions that seed users with factors into it. */
async function open() {
  const store = await openMemoryStore();
  const clock = createFakeClock();
  const parts = { store, clock, ids: createIds(clock, systemRandom) };
  const applyTo = (userId: string, factors?: readonly SeedFactor[]) =>
    applySeed(SeedDocument.parse({ users: [{ userId, userEmail: `${userId}@example.com`, factors }] }), parts);
  return {
    store,
    apply: (...factors: SeedFactor[]) => applyTo('u', factors),
    applyTo,
    rows: () => store.factors.list(),
  };
}

const now = createFakeClock().now().toISOString();
const workRow = {
  factorId: 'work',
  userId: 'u',
  contactType: 'EMAIL',
  email: 'work@example.com',
  tags: [],
  verified: true,
  createdAt: now,
};

describe('the factors of a seeded user', () => {
  test('are created, verified by default', async () => {
    const { store, apply, rows } = await open();
    await apply(work, { contactType: 'MOBILE', mobile, tags: ['a', 'b', 'a'], verified: false });
    expect(await rows()).toHaveLength(2);
    expect(await rows()).toEqual(
      expect.arrayContaining([
        workRow,
        {
          factorId: expect.stringMatching(/^[0-9a-f]{24}$/),
          userId: 'u',
          contactType: 'MOBILE',
          mobile,
          tags: ['a', 'b'],
          verified: false,
          createdAt: now,
        },
      ]),
    );
    expect(await store.users.get('u')).not.toHaveProperty('factors');
  });

  test('do not change when the seed is applied again', async () => {
    const { apply, rows } = await open();
    const factors: SeedFactor[] = [work, { contactType: 'EMAIL', email: 'new@example.com', tags: ['x'] }];
    await apply(...factors);
    const before = await rows();
    await apply(...factors);
    expect(await rows()).toEqual(before);
  });

  test('are updated by id or by contact; others stay unchanged', async () => {
    const { apply, rows } = await open();
    await apply(work, { id: 'home', contactType: 'EMAIL', email: 'home@example.com', tags: ['MARKED_RESOURCES'] });
    await apply(
      { id: 'work', contactType: 'MOBILE', mobile },
      { contactType: 'EMAIL', email: 'HOME@example.com', verified: false },
    );
    const { email: _, ...rest } = workRow;
    expect(await rows()).toEqual([
      {
        ...workRow,
        factorId: 'home',
        email: 'HOME@example.com',
        tags: ['MARKED_RESOURCES'],
        verified: false,
      },
      { ...rest, contactType: 'MOBILE', mobile },
    ]);
    await apply({ contactType: 'EMAIL', email: 'third@example.com' });
    expect(await rows()).toHaveLength(3);
  });

  test('can move the mark in one seed', async () => {
    const { apply, rows } = await open();
    const home: SeedFactor = { id: 'home', contactType: 'EMAIL', email: 'home@example.com' };
    await apply({ ...work, tags: ['MARKED_RESOURCES'] }, home);
    await apply({ ...work, tags: [] }, { ...home, tags: ['MARKED_RESOURCES'] });
    expect((await rows()).map(({ tags }) => tags)).toEqual([['MARKED_RESOURCES'], []]);
  });
});

describe('a seed is rejected without changes', () => {
  const faulty: [string, SeedFactor[], RegExp][] = [
    ['the main e-mail', [{ contactType: 'EMAIL', email: 'U@example.com' }], /has this contact/],
    ['one contact twice', [work, { ...work, id: 'other' }], /has this contact/],
    ['one id twice', [work, { ...work, email: 'other@example.com' }], /contains a factor twice/],
    ['no contact', [{ contactType: 'EMAIL' }], /one contact/],
    ['a contact of another kind', [{ contactType: 'EMAIL', mobile }], /one contact/],
    [
      'two marks',
      ['a', 'b'].map((id) => ({ id, contactType: 'EMAIL', email: `${id}@e.example`, tags: ['MARKED_RESOURCES'] })),
      /MARKED_RESOURCES/,
    ],
    ["another user's factor", [{ ...work, id: 'of-other' }], /belongs to another user/],
  ];
  test.each(faulty)('with %s', async (_, factors, message) => {
    const { apply, applyTo, rows } = await open();
    await applyTo('other', [{ id: 'of-other', contactType: 'EMAIL', email: 'o2@example.com' }]);
    const before = await rows();
    await expect(apply(...factors)).rejects.toThrow(message);
    expect(await rows()).toEqual(before);
  });

  test.each([
    ['{id: main-email, contactType: EMAIL, email: a@example.com}', /id: is a reserved word/],
    ['{contactType: FAX, email: a@example.com}', /contactType: /],
    ['{contactType: EMAIL, email: none}', /email: must be an e-mail address/],
    ['{contactType: EMAIL, email: a@example.com, credential: true}', /credential: unknown key/],
  ])('with the factor %s', async (text, message) => {
    await expect(parseSeed(`users:\n  - userId: u\n    factors: [${text}]\n`, 's')).rejects.toThrow(message);
  });
});
