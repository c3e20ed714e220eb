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
  notices,
  noticesOfChange,
  otherMobile,
  startWithBob,
  workEmail,
} from './factor-fixtures.ts';

type Change = Parameters<IamClient['userIdentities']['factors']['update']>[0]['body'];

const update = (as: IamClient, body: Change, id = 'work') => as.userIdentities.factors.update({ params: { id }, body });
const email = (address: string, ...tags: string[]): Change => ({ contactType: 'EMAIL', email: address, tags });

describe('a changed contact', () => {
  test('becomes unverified, and the previous contact receives a notice', async () => {
    await using server = await startWithBob();
    const before = await factorOf(server, 'work');
    await expect(
      update(await createSession(server, 'bob'), email('new@work.example', 'a', 'a')),
    ).resolves.toBeUndefined();
    expect(await factorOf(server, 'work')).toEqual({
      ...before,
      email: 'new@work.example',
      tags: ['a'],
      verified: false,
    });
    expect(await noticeRecipients(server)).toEqual(noticesOfChange(workEmail));
    const [atWork] = (await notices(server)).filter(({ to }) => to === workEmail);
    expect(atWork?.text).not.toMatch(/new@|n\*\*\*/);
  });

  test('may be of another kind', async () => {
    await using server = await startWithBob();
    const mobile = { ...otherMobile, areaCode: 556 };
    await update(await createSession(server, 'bob'), { contactType: 'MOBILE', mobile });
    const { userId, createdAt } = (await factorOf(server, 'phone')) ?? {};
    expect(await factorOf(server, 'work')).toEqual({
      factorId: 'work',
      userId,
      createdAt,
      contactType: 'MOBILE',
      mobile,
      tags: [],
      verified: false,
    });
  });

  test('includes another spelling of the same contact', async () => {
    await using server = await startWithBob();
    await update(await createSession(server, 'bob'), email(workEmail.toUpperCase()));
    expect(await factorOf(server, 'work')).toMatchObject({ verified: false });
  });

  test('accepts no code of the previous contact and voids its pending second factor', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    await as.userIdentities.factors.sendToken({ params: { id: 'work' } });
    const token = await lastCode(server, workEmail);
    const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId: 'work' } });
    const second = await lastCode(server, workEmail);
    await update(as, email('new@work.example'));
    const validate = as.userIdentities.factors.validateToken({ params: { id: 'work' }, body: { token } });
    await expect(validate).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    const fulfill = as.userIdentities.fulfillMfa({ body: { challengeId, token: second } });
    await expect(fulfill).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
  });

  test('voids the one-time tokens issued for its verification', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    await as.userIdentities.factors.sendToken({ params: { id: 'work' } });
    const body = { token: await lastCode(server, workEmail) };
    const smart = await as.userIdentities.factors.validateToken({ params: { id: 'work' }, body });
    await update(as, email('new@work.example'));
    await expect(as.userIdentities.grantAuthSmart({ body: smart })).rejects.toMatchObject({ code: 'CODE_INVALID' });
  });

  test('receives no notice if it was never verified, since it may belong to a stranger', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    for (let round = 0; round < 7; round += 1) {
      await update(as, email(`other${round}@example.com`));
      await update(as, email(workEmail));
    }
    const ofContact = (await notices(server)).filter(({ purpose }) => purpose === 'contact-changed');
    expect(ofContact.map(({ to }) => to)).toEqual([workEmail]);
    expect((await notices(server)).filter(({ to }) => to.startsWith('other'))).toEqual([]);
  });
});

describe('an unchanged contact', () => {
  test('stays verified, keeps its codes and receives no notice; omitted tags are cleared', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    await as.userIdentities.factors.sendToken({ params: { id: 'work' } });
    const body = { token: await lastCode(server, workEmail) };
    await update(as, { contactType: 'EMAIL', email: workEmail });
    expect(await factorOf(server, 'work')).toMatchObject({ verified: true, tags: [] });
    expect(await notices(server)).toEqual([]);
    await expect(as.userIdentities.factors.validateToken({ params: { id: 'work' }, body })).resolves.toBeDefined();
  });

  test('stays if it is not sent', async () => {
    await using server = await startWithBob();
    const before = await factorOf(server, 'work');
    await update(await createSession(server, 'bob'), { contactType: 'EMAIL', tags: ['new'] });
    expect(await factorOf(server, 'work')).toEqual({ ...before, tags: ['new'] });
    expect(await notices(server)).toEqual([]);
  });

  test('stays unverified', async () => {
    await using server = await startWithBob();
    await update(await createSession(server, 'bob'), email(freshEmail, 'a'), 'fresh');
    expect(await factorOf(server, 'fresh')).toMatchObject({ verified: false, tags: ['a'] });
  });

  test('may keep the tag MARKED_RESOURCES', async () => {
    await using server = await startWithBob();
    await expect(
      update(await createSession(server, 'bob'), email(workEmail, 'MARKED_RESOURCES')),
    ).resolves.toBeUndefined();
  });
});

describe('is rejected', () => {
  const good = email('x@example.com');
  const rejected: [string, string, Change, number, string][] = [
    ['an unknown id', 'absent', good, 404, 'FACTOR_NOT_FOUND'],
    ['the main e-mail', 'main-email', good, 412, 'MAIN_CONTACT'],
    ['the main mobile', 'main-mobile', good, 412, 'MAIN_CONTACT'],
    ['a contact that another factor has', 'work', email(freshEmail.toUpperCase()), 412, 'FACTOR_TAKEN'],
    ['a main contact of the user', 'work', email(mainEmail), 412, 'FACTOR_TAKEN'],
    ['another kind without its contact', 'work', { contactType: 'MOBILE' }, 422, 'CONTACT_AMBIGUOUS'],
    ['a contact of another kind', 'phone', { contactType: 'MOBILE', email: 'x@e.example' }, 422, 'CONTACT_AMBIGUOUS'],
    ['a second tag MARKED_RESOURCES', 'fresh', email(freshEmail, 'MARKED_RESOURCES'), 422, 'TAG_TAKEN'],
    ['an impossible id', 'a b', good, 404, 'PATH_VALUE'],
  ];
  const shared = sharedServer(() => startWithBob());
  test.each(rejected)('for %s', async (_, id, body, status, code) => {
    const server = shared();
    const as = await createSession(server, 'bob');
    await expectRejected(server, () => update(as, body, id), { status, code });
  });

  test('for a contact of another user and for a main contact that the user does not have', async () => {
    await using server = await startWithBob();
    const alice = await createSession(server, 'alice-id');
    for (const id of ['work', 'main-mobile'])
      await expectRejected(server, () => update(alice, good, id), { status: 404, code: 'FACTOR_NOT_FOUND' });
  });
});
