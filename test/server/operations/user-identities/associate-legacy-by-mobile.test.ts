import { expect, test } from 'vitest';
import type { IamClient } from '../../../../src/client/index.ts';
import type { TestServer } from '../../../harness.ts';
import { lastCode, messagesTo } from '../otp-inbox.ts';
import { createSession } from './callers.ts';
import { alice } from './login-fixtures.ts';
import { mobiles, startWithLogons, stopMainframe } from './logon-fixtures.ts';

const associate = (as: IamClient, logon = 'FREE1') => as.userIdentities.associateLegacyByMobile({ body: { logon } });
const asAlice = (server: TestServer) => createSession(server, alice.userId, 'AUTH-BASIC');

test('sends a code to the mobile number in the mainframe and returns it masked', async () => {
  await using server = await startWithLogons();
  const response = await associate(await asAlice(server), 'Free1');
  expect(response).toEqual({ challengeId: expect.any(String), contact: '***0101', expiresIn: '600' });
  expect(await messagesTo(server)).toMatchObject([{ to: mobiles.FREE1, channel: 'sms' }]);
  expect(await lastCode(server, mobiles.FREE1)).toMatch(/^\d{6}$/);
});

test.each(['UNKNOWN', 'BARE1', 'MAIL1', 'DORA1'])(
  'returns the same response for an unavailable logon and sends nothing: %s',
  async (logon) => {
    await using server = await startWithLogons();
    const as = await asAlice(server);
    const responses = [await associate(as, logon), await associate(as, logon)];
    for (const response of responses)
      expect(response).toEqual({
        challengeId: expect.any(String),
        contact: expect.stringMatching(/^\*{3}\d{4}$/),
        expiresIn: '600',
      });
    expect(responses[1]?.contact).toBe(responses[0]?.contact);
    expect(await messagesTo(server)).toEqual([]);
  },
);

test('shares its limit with codes sent by e-mail and with recovery', async () => {
  await using server = await startWithLogons();
  const as = await asAlice(server);
  for (let count = 0; count < 3; count += 1) await associate(as);
  for (let count = 0; count < 2; count += 1)
    await as.userIdentities.associateLegacyByEmail({ body: { logon: 'FREE1' } });
  await expect(associate(as)).rejects.toMatchObject({ status: 429, code: 'TOO_MANY_CODES', retryAfter: 3600 });
});

test('returns 503 when the mainframe does not respond', async () => {
  await using server = await startWithLogons();
  const as = await asAlice(server);
  stopMainframe(server);
  await expect(associate(as)).rejects.toMatchObject({ status: 503, code: 'MAINFRAME_UNAVAILABLE' });
});
