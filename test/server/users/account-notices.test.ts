/** Notices of login identifiers: each user gets them at its verified contacts, and none is dropped. */
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/server/store/tables.ts';
import { startServer, type TestServer, type TestServerOptions } from '../../harness.ts';
import { lastCode, messagesTo } from '../operations/otp-inbox.ts';
import { createSession } from '../operations/user-identities/callers.ts';
import { passwordHash } from '../operations/user-identities/login-fixtures.ts';

const userEmail = 'ann@example.com';
const ann = {
  ...{ userId: 'ann', userName: 'ann', userEmail, passwordHash },
  userMobile: { regionCode: 1, areaCode: 555, phoneNumber: 5550123 },
  factors: [{ id: 'spare', contactType: 'EMAIL' as const, email: 'spare@example.com' }],
};
const params = { id: 'ann' };

function start(options: TestServerOptions = {}): Promise<TestServer> {
  const mainframe = [{ logon: 'ANN01', email: 'mainframe@example.com' }];
  return startServer({ ...options, seed: { users: [ann], mainframe, ...options.seed } });
}

const notices = async (server: TestServer, to = userEmail): Promise<Message[]> =>
  (await messagesTo(server, to)).filter(({ purpose }) => purpose === 'login-changed');

const add = ({ admin }: TestServer, identity: string) =>
  admin.userIdentities.addIdentity({ params, body: { identity } });

async function addMany(server: TestServer, count: number) {
  for (let at = 0; at < count; at += 1) await add(server, `name-${at}`);
}

describe('a login identifier that is added or removed', () => {
  test('is reported to every verified contact', async () => {
    await using server = await start();
    await add(server, 'Second');
    await server.admin.userIdentities.removeIdentity({ params: { ...params, identity: 'second' } });
    for (const to of [userEmail, '+15555550123']) {
      const [added, removed] = await notices(server, to);
      expect(added?.text).toContain('A login identifier was added to your account: Second.');
      expect(removed?.text).toContain('A login identifier was removed from your account: Second.');
    }
    expect(await notices(server, 'spare@example.com')).toEqual([]);
  });

  test('includes a mainframe logon that the user linked itself', async () => {
    await using server = await start();
    const as = await createSession(server, 'ann');
    const { challengeId } = await as.userIdentities.associateLegacyByEmail({ body: { logon: 'ANN01' } });
    const token = await lastCode(server, 'mainframe@example.com');
    await as.userIdentities.completeAssociateLegacy({ body: { challengeId, token } });
    const [notice] = await notices(server);
    expect(notice?.text).toContain('added to your account: logon ANN01.');
  });

  test('includes a verified e-mail address: the mobile gets the new address, the old address only the removal', async () => {
    await using server = await start();
    await server.admin.userIdentities.update({ params, body: { userEmail: 'new@example.com' } });
    const [atMobile] = await notices(server, '+15555550123');
    expect(atMobile?.text).toContain('added to your account: new@example.com.');
    expect(atMobile?.text).toContain(`removed from your account: ${userEmail}.`);
    const old = await messagesTo(server, userEmail);
    expect(old).toMatchObject([{ purpose: 'contact-changed' }]);
    expect(old[0]?.text).not.toContain('new@');
    expect(await messagesTo(server, 'new@example.com')).toEqual([]);
  });

  test('sends no notice for a rejected request, an unchanged value, a seed or the start', async () => {
    const users = [{ ...ann, identities: ['seeded'] }];
    await using server = await start({ seed: { users } });
    await add(server, 'seeded');
    await expect(add(server, 'admin')).rejects.toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    await server.admin.userIdentities.update({ params, body: { lead: true } });
    expect(await server.appContext.store.messages.count()).toBe(0);
  });
});

describe('many notices', () => {
  test('are combined beyond five an hour, and none is dropped', async () => {
    await using server = await start();
    await addMany(server, 12);
    const sent = await notices(server);
    expect(sent.map(({ delivery, collapsed }) => [delivery, collapsed])).toEqual([
      ...Array.from({ length: 5 }, () => [undefined, undefined]),
      ['late', 7],
    ]);
    for (let at = 5; at < 12; at += 1) expect(sent[5]?.text).toContain(`added to your account: name-${at}.`);
    await server.appContext.outbox.deliverDue();
    expect(await notices(server)).toHaveLength(6);
    server.clock.advance(3600);
    await server.appContext.outbox.deliverDue();
    expect((await notices(server)).map(({ delivery }) => delivery)).toEqual(Array.from({ length: 6 }, () => undefined));
    await add(server, 'later');
    expect((await notices(server)).at(-1)).not.toHaveProperty('collapsed');
  });

  test('are counted where there are too many to list, so that the message does not grow', async () => {
    await using server = await start();
    await addMany(server, 60);
    const [pending] = (await notices(server)).filter(({ delivery }) => delivery === 'late');
    expect(pending).toMatchObject({ collapsed: 55, text: expect.stringContaining('55 changes were made') });
  });

  test('do not count against the OTP rate limit', async () => {
    await using server = await start();
    await addMany(server, 12);
    const as = await createSession(server, 'ann');
    for (let at = 0; at < 5; at += 1) await as.userIdentities.factors.sendToken({ params: { id: 'main-email' } });
    await add(server, 'one-more');
    expect((await notices(server)).filter(({ delivery }) => delivery === 'late')).toMatchObject([{ collapsed: 8 }]);
  });

  test('are all sent immediately where rate limits are disabled', async () => {
    await using server = await start({ flags: { 'disable-rate-limits': true } });
    await addMany(server, 12);
    expect(await notices(server)).toHaveLength(12);
  });
});
