import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../../src/client/index.ts';
import { lastCode } from '../../otp-inbox.ts';
import { createSession, expectRejected } from '../callers.ts';
import { freshEmail, mainEmail, mainNumber, startWithBob, throughClient, workEmail } from './factor-fixtures.ts';

const send = (as: IamClient, id: string) => as.userIdentities.factors.sendToken({ params: { id } });

describe('sends a code', () => {
  test.each([
    ['main-email', 'email', mainEmail],
    ['main-mobile', 'sms', mainNumber],
    ['work', 'email', workEmail],
    ['phone', 'sms', '+15555550123'],
    ['fresh', 'email', freshEmail],
  ])('to %s, verified or not', async (id, channel, to) => {
    await using server = await startWithBob();
    await expect(send(await createSession(server, 'bob', 'AUTH-BASIC'), id)).resolves.toBeUndefined();
    expect(await server.appContext.store.messages.list()).toMatchObject([{ to, channel, purpose: 'factor' }]);
    expect(await lastCode(server, to)).toMatch(/^\d{6}$/);
  });

  test('to a main contact that is not verified', async () => {
    await using server = await startWithBob();
    const { accessToken } = await server.as().userIdentities.create({
      query: { clientId: 'test-app' },
      body: { userId: 'eve', userName: 'eve', userEmail: 'eve@example.com' },
    });
    await expect(send(server.as({ token: accessToken }), 'main-email')).rejects.toMatchObject({ status: 401 });
    await send(await createSession(server, 'eve', 'AUTH-BASIC'), 'main-email');
    expect(await lastCode(server, 'eve@example.com')).toMatch(/^\d{6}$/);
  });

  test('that voids the previous code of this contact only', async () => {
    await using server = await startWithBob();
    const as = await createSession(server, 'bob');
    await send(as, 'work');
    const first = await lastCode(server, workEmail);
    await send(as, 'main-email');
    const other = await lastCode(server, mainEmail);
    await send(as, 'work');
    const validate = (id: string, token: string) =>
      as.userIdentities.factors.validateToken({ params: { id }, body: { token } });
    if (first !== (await lastCode(server, workEmail)))
      await expect(validate('work', first)).rejects.toMatchObject({ code: 'CODE_INVALID' });
    await expect(validate('main-email', other)).resolves.toBeDefined();
    await expect(validate('work', await lastCode(server, workEmail))).resolves.toBeDefined();
  });
});

describe('for visibility', () => {
  test.each([
    ['CREDENTIALS_ONLY', ['main-email', 'main-mobile'], ['work', 'phone', 'fresh']],
    ['MARKED_RESOURCES', ['main-email', 'main-mobile', 'work'], ['phone', 'fresh']],
    ['UNRESTRICTED', ['main-email', 'main-mobile', 'work', 'phone', 'fresh'], []],
  ] as const)(
    '%s to the main contacts and those that the visibility of the client allows',
    async (visibility, available, unavailable) => {
      await using server = await startWithBob();
      const as = await throughClient(server, visibility);
      for (const id of available) await expect(send(as, id), id).resolves.toBeUndefined();
      for (const id of unavailable)
        await expectRejected(server, () => send(as, id), { status: 404, code: 'FACTOR_NOT_FOUND' });
    },
  );
});

describe('rejects', () => {
  test('unknown contacts and contacts of other users', async () => {
    await using server = await startWithBob();
    const bob = await createSession(server, 'bob');
    await expectRejected(server, () => send(bob, 'absent'), { status: 404, code: 'FACTOR_NOT_FOUND' });
    await expectRejected(server, () => send(bob, 'a b'), { status: 404, code: 'PATH_VALUE' });
    const alice = await createSession(server, 'alice-id');
    for (const id of ['work', 'main-mobile'])
      await expectRejected(server, () => send(alice, id), { status: 404, code: 'FACTOR_NOT_FOUND' });
  });

  test('more than five an hour to one contact over all sessions, and sends nothing', async () => {
    await using server = await startWithBob();
    for (let sent = 0; sent < 5; sent += 1) await send(await createSession(server, 'bob'), 'work');
    const as = await createSession(server, 'bob');
    await expectRejected(server, () => send(as, 'work'), { status: 429, code: 'TOO_MANY_CODES' });
    await expect(send(as, 'work')).rejects.toMatchObject({ retryAfter: 3600 });
    await expect(send(as, 'main-email')).resolves.toBeUndefined();
    server.clock.advance(3600);
    await expect(send(await createSession(server, 'bob'), 'work')).resolves.toBeUndefined();
  });
});
