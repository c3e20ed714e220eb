import { describe, expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import { lastCode } from '../otp-inbox.ts';
import { createSession, expectRejected } from './callers.ts';
import { mainEmail, mainNumber, startWithBob, throughClient, workEmail } from './factors/factor-fixtures.ts';

const leverage = (as: IamClient, factorId?: string) =>
  as.userIdentities.leverageMfa({ body: factorId === undefined ? {} : { factorId } });

describe('sends a code', () => {
  test('to the main e-mail address by default, and returns its challenge', async () => {
    await using server = await startWithBob();
    const response = await leverage(await createSession(server, 'bob', 'AUTH-BASIC'));
    expect(response).toEqual({
      challengeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      contactType: 'EMAIL',
      contact: 'b***@example.com',
      expiresIn: '600',
    });
    expect(await server.appContext.store.messages.list()).toMatchObject([
      { to: mainEmail, channel: 'email', purpose: 'mfa', codeId: response.challengeId },
    ]);
    const code = await lastCode(server, mainEmail);
    expect(code).toMatch(/^\d{6}$/);
    expect(JSON.stringify(await server.dump())).not.toMatch(new RegExp(`\\b${code}\\b`));
  });

  test('to the main mobile number if the main e-mail address is not verified', async () => {
    await using server = await startWithBob({ userEmail: undefined });
    expect(await leverage(await createSession(server, 'bob'))).toMatchObject({
      contactType: 'MOBILE',
      contact: '***4321',
    });
    expect(await lastCode(server, mainNumber)).toMatch(/^\d{6}$/);
  });

  test.each([
    ['main-email', mainEmail],
    ['main-mobile', mainNumber],
    ['work', workEmail],
    ['phone', '+15555550123'],
  ])('to %s if requested', async (id, to) => {
    await using server = await startWithBob();
    await leverage(await createSession(server, 'bob'), id);
    expect((await server.appContext.store.messages.list()).map((message) => message.to)).toEqual([to]);
  });

  test('that voids the previous code in this session only', async () => {
    await using server = await startWithBob();
    const [one, other] = [await createSession(server, 'bob'), await createSession(server, 'bob')];
    const first = { ...(await leverage(one)), token: await lastCode(server, mainEmail) };
    const others = { ...(await leverage(other)), token: await lastCode(server, mainEmail) };
    await leverage(one, 'work');
    const fulfill = (as: IamClient, { challengeId, token }: typeof first) =>
      as.userIdentities.fulfillMfa({ body: { challengeId, token } });
    await expect(fulfill(one, first)).rejects.toMatchObject({ code: 'CODE_INVALID' });
    await expect(fulfill(other, others)).resolves.toBeDefined();
  });
});

describe('for visibility', () => {
  test.each([
    ['CREDENTIALS_ONLY', ['main-email', 'main-mobile'], ['work', 'phone']],
    ['MARKED_RESOURCES', ['main-email', 'main-mobile', 'work'], ['phone']],
    ['UNRESTRICTED', ['main-email', 'main-mobile', 'work', 'phone'], []],
  ] as const)(
    '%s to the main contacts and those that the visibility of the client allows',
    async (visibility, available, unavailable) => {
      await using server = await startWithBob();
      const as = await throughClient(server, visibility);
      await expect(leverage(as)).resolves.toBeDefined();
      for (const id of available) await expect(leverage(as, id), id).resolves.toBeDefined();
      for (const id of unavailable)
        await expectRejected(server, () => leverage(as, id), { status: 404, code: 'FACTOR_NOT_FOUND' });
    },
  );
});

describe('rejects', () => {
  test('a contact that is not verified, and a user without contacts', async () => {
    await using server = await startWithBob({ userEmail: undefined, userMobile: undefined });
    const as = await createSession(server, 'bob');
    for (const id of ['fresh', undefined])
      await expectRejected(server, () => leverage(as, id), { status: 412, code: 'FACTOR_NOT_VERIFIED' });
  });

  test('unknown contacts and contacts of other users', async () => {
    await using server = await startWithBob();
    for (const id of ['work', 'main-mobile', 'absent']) {
      const alice = await createSession(server, 'alice-id');
      await expectRejected(server, () => leverage(alice, id), { status: 404, code: 'FACTOR_NOT_FOUND' });
    }
  });

  test('more than five an hour to one contact over all sessions and purposes, and sends nothing', async () => {
    await using server = await startWithBob();
    for (let sent = 0; sent < 3; sent += 1) await leverage(await createSession(server, 'bob'));
    const as = await createSession(server, 'bob');
    for (let sent = 0; sent < 2; sent += 1) await as.userIdentities.factors.sendToken({ params: { id: 'main-email' } });
    await expectRejected(server, () => leverage(as), { status: 429, code: 'TOO_MANY_CODES' });
    await expect(leverage(as)).rejects.toMatchObject({ retryAfter: 3600 });
    await expect(leverage(as, 'work')).resolves.toBeDefined();
    server.clock.advance(3600);
    await expect(leverage(await createSession(server, 'bob'))).resolves.toBeDefined();
  });
});
