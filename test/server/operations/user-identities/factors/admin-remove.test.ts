import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { sharedServer } from '../../access.ts';
import { lastCode } from '../../otp-inbox.ts';
import { createSession, expectRejected } from '../callers.ts';
import { factorIds, noticeRecipients, noticesOfChange, startWithBob, workEmail } from './factor-fixtures.ts';

const remove = (as: IamClient, factorId = 'work', id = 'bob') =>
  as.userIdentities.factors.adminRemove({ params: { id, factorId } });

describe('a removed contact', () => {
  test('is deleted alone and receives a notice', async () => {
    await using server = await startWithBob();
    await expect(remove(server.admin)).resolves.toBeUndefined();
    expect(await factorIds(server)).toEqual(['fresh', 'phone']);
    expect(await noticeRecipients(server)).toEqual(noticesOfChange(workEmail));
  });

  test('voids the pending second factor that uses it', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId: 'work' } });
    const body = { challengeId, token: await lastCode(server, workEmail) };
    await remove(server.admin);
    await expect(as.userIdentities.fulfillMfa({ body })).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
  });
});

describe('is rejected', () => {
  const shared = sharedServer(startWithBob);

  test.each([
    ['work', 'alice-id', 'FACTOR_NOT_FOUND'],
    ['main-email', 'bob', 'FACTOR_NOT_FOUND'],
    ['main-mobile', 'alice-id', 'FACTOR_NOT_FOUND'],
  ])('for %s of %s', async (factorId, id, code) => {
    const server = shared();
    await expectRejected(server, () => remove(server.admin, factorId, id), { status: 404, code });
  });
});
