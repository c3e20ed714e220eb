import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { sharedServer } from '../../access.ts';
import { lastCode } from '../../otp-inbox.ts';
import { asMaintainer, createSession, expectRejected, firstAdministrator } from '../callers.ts';
import { factorIds, notices, settleAll, startWithBob, workEmail } from './factor-fixtures.ts';

const remove = (as: IamClient, factorId = 'work', id = 'bob') =>
  as.userIdentities.factors.adminRemove({ params: { id, factorId } });

describe('a removed contact', () => {
  test('is deleted alone and receives a notice', async () => {
    await using server = await startWithBob();
    await expect(remove(server.admin)).resolves.toBeUndefined();
    expect(await factorIds(server)).toEqual(['fresh', 'phone']);
    expect(await notices(server)).toMatchObject([{ to: workEmail, purpose: 'contact-changed' }]);
  });

  test('voids the pending second factor that uses it', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    const { challengeId } = await as.userIdentities.leverageMfa({ body: { factorId: 'work' } });
    const body = { challengeId, token: await lastCode(server, workEmail) };
    await remove(server.admin);
    await expect(as.userIdentities.fulfillMfa({ body })).rejects.toMatchObject({ status: 412, code: 'CODE_INVALID' });
  });

  test('is removed once by 50 concurrent requests', async () => {
    await using server = await startWithBob();
    const ended = await settleAll(Array.from({ length: 50 }, () => remove(server.admin)));
    expect(ended.filter((one) => one === 'done')).toHaveLength(1);
    expect(ended.filter((one) => one === 'FACTOR_NOT_FOUND')).toHaveLength(49);
  });
});

describe('is rejected', () => {
  const shared = sharedServer(startWithBob);

  test.each([
    ['work', 'unknown', 'USER_NOT_FOUND'],
    ['absent', 'bob', 'FACTOR_NOT_FOUND'],
    ['work', 'alice-id', 'FACTOR_NOT_FOUND'],
    ['main-email', 'bob', 'FACTOR_NOT_FOUND'],
    ['main-mobile', 'alice-id', 'FACTOR_NOT_FOUND'],
    ['a b', 'bob', 'PATH_VALUE'],
  ])('for %s of %s', async (factorId, id, code) => {
    const server = shared();
    await expectRejected(server, () => remove(server.admin, factorId, id), { status: 404, code });
  });

  test('for an administrator without MFA', async () => {
    await using server = await startWithBob();
    const { userId } = await firstAdministrator(server);
    const authenticationFactors = [
      { id: 'admin-factor', contactType: 'EMAIL' as const, email: 'other-admin@example.com' },
    ];
    await server.admin.userIdentities.factors.adminAdd({ params: { id: userId }, body: { authenticationFactors } });
    const maintainer = await asMaintainer(server);
    for (const id of ['admin-factor', 'absent'])
      await expectRejected(server, () => remove(maintainer, id, userId), { status: 403, code: 'MFA_MISSING' });
    await expect(remove(await asMaintainer(server, 'AUTH-MFA'), 'admin-factor', userId)).resolves.toBeUndefined();
  });
});
