import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { asMaintainer, createSession } from '../callers.ts';
import { expectUsersOnly, startWithBob, throughClient } from './factor-fixtures.ts';

const list = (as: IamClient) => as.userIdentities.factors.list();

const main = [
  {
    id: 'main-email',
    contactType: 'EMAIL',
    email: 'b***@example.com',
    tags: '[]',
    credential: true,
    default: true,
  },
  {
    id: 'main-mobile',
    contactType: 'MOBILE',
    mobile: { regionCode: '55', areaCode: '***', phoneNumber: '***4321' },
    tags: '[]',
    credential: true,
    default: false,
  },
];
const work = {
  id: 'work',
  contactType: 'EMAIL',
  email: 'b***@work.example',
  tags: '["MARKED_RESOURCES","office"]',
  credential: false,
  default: false,
};
const phone = {
  id: 'phone',
  contactType: 'MOBILE',
  mobile: { regionCode: '1', areaCode: '***', phoneNumber: '***123' },
  tags: '[]',
  credential: false,
  default: false,
};
const fresh = {
  id: 'fresh',
  contactType: 'EMAIL',
  email: 'f***@example.net',
  tags: '[]',
  credential: false,
  default: false,
};

describe('shows masked', () => {
  test.each([
    ['CREDENTIALS_ONLY', main],
    ['MARKED_RESOURCES', [work]],
    ['UNRESTRICTED', [...main, fresh, phone, work]],
  ] as const)('to a client of visibility %s what that says', async (visibility, shown) => {
    await using server = await startWithBob();
    expect(await list(await throughClient(server, visibility))).toEqual(shown);
  });

  test("nobody else's contacts", async () => {
    await using server = await startWithBob();
    const shown = await list(await createSession(server, 'alice-id', 'AUTH-BASIC'));
    expect(shown.map(({ id }) => id)).toEqual(['main-email']);
    expect(await list(await asMaintainer(server))).toEqual([]);
  });
});

describe('says which is the default', () => {
  const ofBob = async (changes: object) => {
    await using server = await startWithBob({ factors: [] });
    const user = await server.appContext.store.users.get('bob');
    await server.appContext.store.transaction(async (tx) => {
      if (user) await tx.users.replace({ ...user, ...changes });
    });
    const shown = await list(await createSession(server, 'bob', 'AUTH-BASIC'));
    return shown.filter((one) => one.default).map(({ id }) => id);
  };

  test('the main mobile, where the main e-mail is not verified', async () => {
    expect(await ofBob({ emailVerified: false })).toEqual(['main-mobile']);
  });

  test('none, where none of the main contacts is verified', async () => {
    expect(await ofBob({ emailVerified: false, mobileVerified: false })).toEqual([]);
  });
});

test('is refused to whoever is no user', async () => {
  await using server = await startWithBob();
  await expectUsersOnly(server, list, { level: 'AUTH-BASIC' });
});
