import { describe, expect, test } from 'vitest';
import { emailContact, mobileContact } from '../../../../../src/server/messaging/contacts.ts';
import { consumeOtp } from '../../../../../src/server/mfa/otp.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { readAllPages, readNextPath, send } from '../../control-client.ts';
import { anySource, sendNotice, sendTestCode } from './messages.ts';

const ann = emailContact('Ann@example.com');
const mobile = mobileContact({ regionCode: 55, areaCode: 11, phoneNumber: 987654321 });
const users = [
  {
    ...{ userId: 'ann', userEmail: 'ann@example.com' },
    factors: [
      {
        ...{ id: 'phone', contactType: 'MOBILE' as const },
        mobile: { regionCode: 55, areaCode: 11, phoneNumber: 987654321 },
      },
    ],
  },
  { userId: 'bob', userEmail: 'other@example.com' },
];
const recovery = { purpose: 'recovery', subject: 'user:ann' } as const;

async function list(server: TestServer, query = ''): Promise<Record<string, unknown>[]> {
  const response = await send(server, `/_iam/inbox${query}`);
  expect(response.status).toBe(200);
  return response.body as Record<string, unknown>[];
}

describe('the inbox', () => {
  test('shows a code with its message and its remaining attempts', async () => {
    await using server = await startServer();
    const id = await sendTestCode(server.appContext, recovery, ann);
    const [item, ...others] = await list(server);
    expect(others).toEqual([]);
    expect(item).toEqual({
      id,
      to: 'Ann@example.com',
      channel: 'email',
      purpose: 'recovery',
      subject: 'Your code',
      code: expect.stringMatching(/^\d{6}$/),
      text: `Your code is ${item?.code}. It expires in ten minutes. Do not share it.`,
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-01T12:10:00.000Z',
      attemptsLeft: 5,
    });
    const wrong = consumeOtp(
      { ...recovery, source: anySource, code: item?.code === '000000' ? '000001' : '000000' },
      server.appContext,
      async () => 1,
    );
    await expect(wrong).rejects.toMatchObject({ code: 'CODE_INVALID' });
    expect(await list(server)).toMatchObject([{ attemptsLeft: 4 }]);
  });

  test('shows a notice without the fields of codes', async () => {
    await using server = await startServer();
    await sendNotice(server.appContext, 'a@example.com');
    const [item] = await list(server);
    expect(Object.keys(item ?? {}).sort()).toEqual(['channel', 'createdAt', 'id', 'purpose', 'subject', 'text', 'to']);
  });

  test('finds messages by recipient, subject and text, also by the code', async () => {
    await using server = await startServer();
    const id = await sendTestCode(server.appContext, recovery, ann);
    await sendNotice(server.appContext, 'a@example.com');
    const [{ code } = {}] = (await list(server)).filter((item) => item.id === id);
    const find = async (text: string) => (await send(server, `/_iam/inbox?text=${encodeURIComponent(text)}`)).body;
    for (const text of [String(code), 'YOUR CODE', 'ann@']) expect(await find(text)).toMatchObject([{ id }]);
    expect(await find('your account')).toMatchObject([{ to: 'a@example.com' }]);
    expect(await find('{code}')).toEqual([]);
  });

  test('shows no remaining attempts for a used or expired code, and also later which one was used', async () => {
    await using server = await startServer();
    await sendTestCode(server.appContext, recovery, ann);
    const [{ code } = {}] = await list(server);
    await consumeOtp({ ...recovery, source: anySource, code: String(code) }, server.appContext, async () => undefined);
    expect((await list(server))[0]).not.toHaveProperty('attemptsLeft');
    await sendTestCode(server.appContext, { ...recovery, subject: 'user:bob' }, ann);
    server.clock.advance(600);
    expect((await list(server)).filter((item) => 'attemptsLeft' in item)).toEqual([]);
    await server.appContext.store.transaction(async (tx) => {
      for (const { codeId } of await tx.codes.list()) await tx.codes.delete(codeId);
    });
    expect((await list(server)).map(({ used }) => used)).toEqual([undefined, true]);
  });

  test('marks the message with the currently valid code', async () => {
    await using server = await startServer();
    const first = await sendTestCode(server.appContext, recovery, ann);
    const second = await sendTestCode(server.appContext, recovery, emailContact('new@example.com'));
    const other = await sendTestCode(server.appContext, { ...recovery, target: 'x' }, ann);
    expect(await list(server)).toMatchObject([
      { id: other, attemptsLeft: 5 },
      { id: second, attemptsLeft: 5 },
      { id: first, supersededBy: second },
    ]);
    expect((await list(server))[2]).not.toHaveProperty('attemptsLeft');
    server.clock.advance(600);
    await sendTestCode(server.appContext, recovery, ann);
    expect((await list(server)).filter((item) => 'supersededBy' in item)).toMatchObject([{ id: first }]);
  });

  test.each([
    ['?to=ANN@Example.COM', 1],
    ['?to=ann@example', 0],
    ['?to=%2B5511987654321', 1],
    ['?to=+5511987654321', 1],
    ['?to=5511987654321', 1],
    ['?purpose=recovery', 2],
    ['?purpose=RECOVERY', 0],
    ['?to=ann@example.com&purpose=contact-changed', 0],
    ['?to=other@example.com&purpose=contact-changed', 1],
    ['?userId=ann', 2],
    ['?userId=ann&to=other@example.com', 0],
    ['?userId=bob', 1],
    ['?userId=unknown', 0],
  ])('finds messages by %s', async (query, count) => {
    await using server = await startServer({ seed: { users } });
    await sendTestCode(server.appContext, recovery, ann, mobile);
    await sendNotice(server.appContext, 'other@example.com');
    expect(await list(server, query)).toHaveLength(count);
  });

  test('has pages, newest first, that are stable while messages arrive', async () => {
    await using server = await startServer();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.unshift(await sendNotice(server.appContext, 'a@example.com'));
    const first = await send(server, '/_iam/inbox?limit=2&to=A@example.com');
    expect(first).toMatchObject({ status: 206, body: ids.slice(0, 2).map((id) => ({ id })) });
    await sendNotice(server.appContext, 'a@example.com');
    const second = await send(server, readNextPath(first));
    expect(second).toMatchObject({ status: 206, body: ids.slice(2, 4).map((id) => ({ id })) });
    const third = await send(server, readNextPath(second));
    expect(third).toMatchObject({ status: 200, body: ids.slice(4).map((id) => ({ id })) });
    const { items, statuses } = await readAllPages(server, '/_iam/inbox?limit=3');
    expect([items.length, statuses]).toEqual([6, [206, 200]]);
  });

  test('rejects a cursor of another filter', async () => {
    await using server = await startServer();
    for (let at = 0; at < 3; at += 1) await sendNotice(server.appContext, 'a@example.com');
    const next = readNextPath(await send(server, '/_iam/inbox?limit=1'));
    expect(await send(server, `${next}&to=b@example.com`)).toMatchObject({
      status: 400,
      body: [{ code: 'CURSOR_INVALID' }],
    });
  });

  test('is cleared, and the codes stay valid', async () => {
    await using server = await startServer();
    await sendTestCode(server.appContext, recovery, ann);
    const [{ code } = {}] = await list(server);
    expect(await send(server, '/_iam/inbox', { method: 'DELETE' })).toMatchObject({ status: 204, body: undefined });
    expect(await list(server)).toEqual([]);
    await expect(
      consumeOtp({ ...recovery, source: anySource, code: String(code) }, server.appContext, async () => 'accepted'),
    ).resolves.toBe('accepted');
  });

  test('keeps messages waiting for a relay when it is cleared, and hides their codes', async () => {
    await using server = await startServer({ flags: { 'sms-hook-url': 'http://127.0.0.1:1/' } });
    await sendTestCode(server.appContext, recovery, ann, mobile);
    const listed = await list(server, '?to=5511987654321');
    expect(listed).toMatchObject([{ channel: 'sms', text: expect.stringContaining('******') }]);
    expect(listed[0]).not.toHaveProperty('code');
    await send(server, '/_iam/inbox', { method: 'DELETE' });
    expect(await list(server)).toMatchObject([{ channel: 'sms' }]);
  });
});
