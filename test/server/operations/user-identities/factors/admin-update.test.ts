import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { sharedServer } from '../../access.ts';
import { lastCode } from '../../otp-inbox.ts';
import { createSession, expectRejected } from '../callers.ts';
import {
  factorOf,
  freshEmail,
  mainEmail,
  noticeRecipients,
  noticesOfChange,
  otherMobile,
  startWithBob,
  workEmail,
} from './factor-fixtures.ts';

type Change = Parameters<IamClient['userIdentities']['factors']['adminUpdate']>[0]['body'];

const updateOf = (id: string, factorId: string, as: IamClient, body: Change) =>
  as.userIdentities.factors.adminUpdate({ params: { id, factorId }, body });
const update = (as: IamClient, body: Change, factorId = 'work') => updateOf('bob', factorId, as, body);
const mobile = { ...otherMobile, areaCode: 556 };

describe('changes the fields that are sent', () => {
  /** The contacts that lose their codes; undefined if no factor changes. */
  type Changed = readonly string[] | undefined;
  const changes: [string, string, Change, object, Changed][] = [
    ['nothing', 'work', {}, {}, undefined],
    ['the tags', 'work', { tags: ['a', 'a'] }, { tags: ['a'] }, undefined],
    ['the tags of one that is not verified', 'fresh', { tags: ['a'] }, { tags: ['a'], verified: false }, undefined],
    ['the contact', 'work', { email: 'n@work.example' }, { email: 'n@work.example', verified: true }, [workEmail]],
    ['the contact to its current value', 'fresh', { email: freshEmail }, { verified: true }, []],
    ['one that is not verified', 'fresh', { email: 'n@e.example' }, { email: 'n@e.example', verified: true }, []],
    ['the mobile', 'phone', { contactType: 'MOBILE', mobile }, { mobile, verified: true }, ['+15555550123']],
  ];
  test.each(changes)('%s', async (_, id, body, changed, lost) => {
    await using server = await startWithBob();
    const before = await factorOf(server, id);
    await expect(update(server.admin, body, id)).resolves.toBeUndefined();
    expect(await factorOf(server, id)).toEqual({ ...before, ...changed });
    expect(await noticeRecipients(server)).toEqual(lost ? noticesOfChange(...lost) : []);
  });

  test('and removes the contact of another kind', async () => {
    await using server = await startWithBob();
    const { email: _, ...rest } = (await factorOf(server, 'work')) ?? {};
    await update(server.admin, { contactType: 'MOBILE', mobile });
    expect(await factorOf(server, 'work')).toEqual({ ...rest, contactType: 'MOBILE', mobile });
  });

  test('and voids the pending second factor of the previous contact', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId: 'work' } });
    const body = { challengeId, token: await lastCode(server, workEmail) };
    await update(server.admin, { email: 'new@work.example' });
    await expect(as.userIdentities.fulfillMfa({ body })).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
  });
});

describe('is rejected', () => {
  const rejected: [string, string, string, Change, number, string][] = [
    ["another user's contact", 'alice-id', 'work', {}, 404, 'FACTOR_NOT_FOUND'],
    ['a main contact', 'bob', 'main-email', {}, 412, 'MAIN_CONTACT'],
    ['a main contact that the user does not have', 'alice-id', 'main-mobile', {}, 404, 'FACTOR_NOT_FOUND'],
    ['a contact that another factor has', 'bob', 'work', { email: freshEmail }, 412, 'FACTOR_TAKEN'],
    ['a main contact of the user', 'bob', 'work', { email: mainEmail }, 412, 'FACTOR_TAKEN'],
    ['a contact of another kind', 'bob', 'work', { mobile }, 422, 'CONTACT_AMBIGUOUS'],
    ['another kind without its contact', 'bob', 'work', { contactType: 'MOBILE' }, 422, 'CONTACT_AMBIGUOUS'],
    ['a second tag MARKED_RESOURCES', 'bob', 'fresh', { tags: ['MARKED_RESOURCES'] }, 422, 'TAG_TAKEN'],
  ];
  const shared = sharedServer(() => startWithBob());
  test.each(rejected)('for %s', async (_, id, factorId, body, status, code) => {
    const server = shared();
    await expectRejected(server, () => updateOf(id, factorId, server.admin, body), { status, code });
  });
});
