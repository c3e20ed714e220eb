import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { sharedServer } from '../../access.ts';
import { lastCode } from '../../otp-inbox.ts';
import { createSession, expectRejected } from '../callers.ts';
import {
  factorIds,
  mainEmail,
  noticeRecipients,
  notices,
  noticesOfChange,
  settleAll,
  startWithBob,
  workEmail,
} from './factor-fixtures.ts';

const remove = (as: IamClient, id = 'work') => as.userIdentities.factors.remove({ params: { id } });

describe('a removed contact', () => {
  test('is deleted alone and receives a notice', async () => {
    await using server = await startWithBob();
    await expect(remove(await createSession(server, 'bob'))).resolves.toBeUndefined();
    expect(await factorIds(server)).toEqual(['fresh', 'phone']);
    expect(await noticeRecipients(server)).toEqual(noticesOfChange(workEmail));
    const [atMain] = (await notices(server)).filter(({ to }) => to === mainEmail);
    expect(atMain?.text).toContain('A contact was removed from your account: b***@work.example.');
  });

  test('voids the pending second factor that uses it and accepts no codes', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId: 'work' } });
    const body = { challengeId, token: await lastCode(server, workEmail) };
    await remove(as);
    await expect(as.userIdentities.fulfillMfa({ body })).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
    await expect(as.userIdentities.factors.sendToken({ params: { id: 'work' } })).rejects.toMatchObject({
      status: 404,
    });
  });

  test('can be added again', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    await remove(as);
    const authenticationFactors = [{ contactType: 'EMAIL' as const, email: workEmail, tags: ['MARKED_RESOURCES'] }];
    await expect(as.userIdentities.factors.add({ body: { authenticationFactors } })).resolves.toHaveLength(1);
  });

  test('is removed once by 50 concurrent requests', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const ended = await settleAll(Array.from({ length: 50 }, () => remove(as)));
    expect(ended.filter((one) => one === 'done')).toHaveLength(1);
    expect(ended.filter((one) => one === 'FACTOR_NOT_FOUND')).toHaveLength(49);
    expect(await noticeRecipients(server)).toEqual(noticesOfChange(workEmail));
  });
});

describe('is rejected', () => {
  const shared = sharedServer(() => startWithBob());
  test.each([
    ['main-email', 412, 'MAIN_CONTACT'],
    ['main-mobile', 412, 'MAIN_CONTACT'],
    ['absent', 404, 'FACTOR_NOT_FOUND'],
  ])('for %s', async (id, status, code) => {
    const server = shared();
    const as = await createSession(server, 'bob');
    await expectRejected(server, () => remove(as, id), { status, code });
  });

  test('for a contact of another user and for a main contact that the user does not have', async () => {
    await using server = await startWithBob();
    const alice = await createSession(server, 'alice-id');
    for (const id of ['work', 'main-mobile'])
      await expectRejected(server, () => remove(alice, id), { status: 404, code: 'FACTOR_NOT_FOUND' });
  });
});
