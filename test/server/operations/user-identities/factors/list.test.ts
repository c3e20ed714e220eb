import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { asMaintainer, createSession } from '../callers.ts';
import { startWithBob, throughClient } from './factor-fixtures.ts';

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

describe('returns masked', () => {
  test.each([
    ['CREDENTIALS_ONLY', main],
    ['MARKED_RESOURCES', [work]],
    ['UNRESTRICTED', [...main, fresh, phone, work]],
  ] as const)('the contacts that visibility %s of the client allows', async (visibility, returned) => {
    await using server = await startWithBob();
    expect(await list(await throughClient(server, visibility))).toEqual(returned);
  });

  test('no contacts of other users', async () => {
    await using server = await startWithBob();
    const returned = await list(await createSession(server, 'alice-id', 'AUTH-BASIC'));
    expect(returned.map(({ id }) => id)).toEqual(['main-email']);
    expect(await list(await asMaintainer(server))).toEqual([]);
  });
});

describe('returns the default', () => {
  const ofBob = async (changes: object) => {
    await using server = await startWithBob({ factors: [] });
    const user = await server.appContext.store.users.get('bob');
    await server.appContext.store.transaction(async (tx) => {
      if (user) await tx.users.replace({ ...user, ...changes });
    });
    const returned = await list(await createSession(server, 'bob', 'AUTH-BASIC'));
    return returned.filter((one) => one.default).map(({ id }) => id);
  };

  test('the main mobile number if the main e-mail address is not verified', async () => {
    expect(await ofBob({ emailVerified: false })).toEqual(['main-mobile']);
  });

  test('none if no main contact is verified', async () => {
    expect(await ofBob({ emailVerified: false, mobileVerified: false })).toEqual([]);
  });
});
