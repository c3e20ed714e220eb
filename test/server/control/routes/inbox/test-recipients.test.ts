import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { emailContact, mobileContact } from '../../../../../src/server/messaging/contacts.ts';
import { parseTestRecipient } from '../../../../../src/server/messaging/test-recipients.ts';
import { appClientId, startServer, type TestServer } from '../../../../harness.ts';
import { send } from '../../control-client.ts';
import { sendTestCode } from './messages.ts';
import { createFakeTimer, openStream } from './sse-client.ts';

const users = '/security/iam/v1/user-identities';
const query = `?clientId=${appClientId}`;

const identify = (server: TestServer, userEmail: string) =>
  send(server, `${users}/identification${query}`, { method: 'POST', body: { userEmail } });

const signUp = (server: TestServer, userEmail: string, token: string) =>
  send(server, users + query, {
    method: 'POST',
    body: { userName: userEmail.split('@')[0], userEmail, token },
  });

async function inbox(server: TestServer, to: string): Promise<Record<string, unknown>[]> {
  const { body } = await send(server, `/_iam/inbox?to=${encodeURIComponent(to)}`);
  return body as Record<string, unknown>[];
}

describe('addresses with test behaviour', () => {
  test.each([
    ['fixed+123456@inbox.example', { kind: 'fixed', code: '123456' }],
    ['FIXED+My-Test-000001@Inbox.Example', { kind: 'fixed', code: '000001' }],
    ['late+30s@inbox.example', { kind: 'late', milliseconds: 30_000 }],
    ['late+own-1h30m@inbox.example', { kind: 'late', milliseconds: 5_400_000 }],
    ['never@inbox.example', { kind: 'never' }],
    ['never+own@inbox.example', { kind: 'never' }],
    ['twice+own@inbox.example', { kind: 'twice' }],
    ['bounced@inbox.example', { kind: 'bounced', reason: '550 5.1.1 Mailbox not found' }],
  ])('%s has it', (address, outcome) => {
    expect(parseTestRecipient(emailContact(address))).toEqual(outcome);
  });

  test.each([
    'fixed+123456@example.com',
    'fixed+123456@inbox.example.com',
    'fixed+123456@mail.inbox.example',
    'fixed+123456@inbox.example@example.com',
    'fixed123456@inbox.example',
    'fixed+12345@inbox.example',
    'fixed+1234567@inbox.example',
    'fixed+own@inbox.example',
    'fixed@inbox.example',
    'late@inbox.example',
    'late+0s@inbox.example',
    'late+25h@inbox.example',
    'late+soon@inbox.example',
    'nevermore@inbox.example',
    'never-own@inbox.example',
    'ann@inbox.example',
    '@inbox.example',
  ])('%s does not have it', (address) => {
    expect(parseTestRecipient(emailContact(address))).toBeUndefined();
  });

  test.each([
    [
      { regionCode: 999, areaCode: 1, phoneNumber: 77_123_456 },
      { kind: 'fixed', code: '123456' },
    ],
    [
      { regionCode: 999, areaCode: 1, phoneNumber: 5_000_042 },
      { kind: 'fixed', code: '000042' },
    ],
    [
      { regionCode: 999, areaCode: 2, phoneNumber: 70_030 },
      { kind: 'late', milliseconds: 30_000 },
    ],
    [{ regionCode: 999, areaCode: 3, phoneNumber: 1234 }, { kind: 'never' }],
    [{ regionCode: 999, areaCode: 41, phoneNumber: 1234 }, { kind: 'twice' }],
    [
      { regionCode: 999, areaCode: 5, phoneNumber: 1234 },
      { kind: 'bounced', reason: 'The number is not in service' },
    ],
    [{ regionCode: 999, areaCode: 6, phoneNumber: 123_456 }, undefined],
    [{ regionCode: 999, areaCode: 1, phoneNumber: 12_345 }, undefined],
    [{ regionCode: 99, areaCode: 1, phoneNumber: 123_456 }, undefined],
    [{ regionCode: 55, areaCode: 999, phoneNumber: 1_123_456 }, undefined],
  ])('the number %j has the outcome %j', (mobile, outcome) => {
    expect(parseTestRecipient(mobileContact(mobile))).toEqual(outcome);
  });
});

test('the documented recipients have the documented outcomes', async () => {
  const text = await readFile(new URL('../../../../../docs/recipients.md', import.meta.url), 'utf8');
  const addresses = [...text.matchAll(/`([^`]+@inbox\.example)`/g)].map(([, address = '']) => address);
  expect(addresses).toHaveLength(10);
  for (const address of addresses)
    expect([address, parseTestRecipient(emailContact(address))?.kind]).toEqual([address, /^[a-z]+/.exec(address)?.[0]]);
});

describe('a fixed code', () => {
  test('is read from the address, and otherwise behaves as any other code', async () => {
    await using server = await startServer();
    const to = 'fixed+one-123456@inbox.example';
    const sent = await identify(server, to);
    expect(sent).toMatchObject({ status: 201, body: { expiresIn: '600' } });
    expect(await inbox(server, to)).toMatchObject([{ code: '123456', attemptsLeft: 5 }]);
    expect((await signUp(server, to, '654321')).status).toBe(412);
    expect(await inbox(server, to)).toMatchObject([{ attemptsLeft: 4 }]);
    expect((await signUp(server, to, '123456')).status).toBe(201);
    // Used once.
    expect((await inbox(server, to))[0]).not.toHaveProperty('attemptsLeft');
    expect((await signUp(server, to, '123456')).status).toBe(412);
  });

  test('expires, and is not valid before it was sent', async () => {
    await using server = await startServer();
    const to = 'fixed+two-123456@inbox.example';
    expect((await signUp(server, to, '123456')).status).toBe(412);
    await identify(server, to);
    server.clock.advance(600);
    expect((await signUp(server, to, '123456')).status).toBe(412);
  });

  test('is invalidated after five wrong attempts, and sent at most five times an hour', async () => {
    await using server = await startServer();
    const to = 'fixed+three-123456@inbox.example';
    for (let count = 0; count < 5; count += 1) expect((await identify(server, to)).status).toBe(201);
    expect((await identify(server, to)).status).toBe(429);
    for (let count = 0; count < 5; count += 1) await signUp(server, to, '000000');
    expect((await signUp(server, to, '123456')).status).toBe(429);
  });

  test('is not used for another recipient, nor shared when the same code is sent elsewhere', async () => {
    await using server = await startServer();
    const fixed = emailContact('fixed+123456@inbox.example');
    const holder = { purpose: 'mfa', subject: 'user:ann' } as const;
    const mobile = mobileContact({ regionCode: 999, areaCode: 1, phoneNumber: 7_123_456 });
    const others = [emailContact('ann@example.com'), emailContact('fixed+222222@inbox.example')];
    for (const other of others) {
      // A collision by chance occurs once in a million runs.
      await sendTestCode(server.appContext, holder, fixed, other);
      expect((await inbox(server, other.to))[0]?.code).not.toBe('123456');
      expect((await inbox(server, fixed.to))[0]?.code).toBe((await inbox(server, other.to))[0]?.code);
    }
    await sendTestCode(server.appContext, holder, fixed, mobile);
    expect(await inbox(server, mobile.to)).toMatchObject([{ code: '123456' }]);
  });
});

describe('a late message', () => {
  test('arrives by the clock of the server, as the newest', async () => {
    await using server = await startServer({ timer: createFakeTimer() });
    const to = 'late+30s@inbox.example';
    await identify(server, to);
    await identify(server, 'ann@example.com');
    expect(await inbox(server, to)).toEqual([]);
    using stream = await openStream(server, '/_iam/inbox/events');
    const waiting = send(server, `/_iam/inbox/wait?to=${encodeURIComponent(to)}&timeout=60`);
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '29s' } });
    expect(await inbox(server, to)).toEqual([]);
    await send(server, '/_iam/clock', { method: 'PUT', body: { advance: '1s' } });
    const { body } = await waiting;
    expect(body).toMatchObject({ to, createdAt: '2026-03-01T12:00:00.000Z', expiresAt: '2026-03-01T12:10:00.000Z' });
    const { code, id } = body as { code: string; id: string };
    expect(await stream.events(1)).toMatchObject([{ id, data: { to } }]);
    expect(await send(server, '/_iam/inbox?limit=1')).toMatchObject({ body: [{ id }] });
    expect((await signUp(server, to, code)).status).toBe(201);
  });

  test('wakes waiting callers after real time has passed', async () => {
    const timer = createFakeTimer();
    await using server = await startServer({ timer });
    const to = 'late+30s@inbox.example';
    await identify(server, to);
    const waiting = send(server, `/_iam/inbox/wait?to=${encodeURIComponent(to)}&timeout=60`);
    // The timers of the wait and of the message.
    while (timer.pending < 2) await new Promise((resolve) => setImmediate(resolve));
    server.clock.advance(30);
    timer.pass(30_000);
    expect(await waiting).toMatchObject({ status: 200, body: { to } });
  });

  test('can arrive after its code has expired', async () => {
    await using server = await startServer();
    const to = 'late+15m@inbox.example';
    await identify(server, to);
    server.clock.advance(900);
    const [message] = await inbox(server, to);
    expect(message).toMatchObject({ code: expect.stringMatching(/^\d{6}$/) });
    expect(message).not.toHaveProperty('attemptsLeft');
    expect((await signUp(server, to, String(message?.code))).status).toBe(412);
  });
});

test('a message is lost, duplicated or bounced without any sign to the caller', async () => {
  await using server = await startServer();
  const plain = await identify(server, 'ann@example.com');
  for (const [to, expected] of [
    ['never+x@inbox.example', []],
    ['twice+x@inbox.example', [{ attemptsLeft: 5 }, { attemptsLeft: 5 }]],
    ['bounced+x@inbox.example', [{ failure: '550 5.1.1 Mailbox not found' }]],
  ] as const) {
    const response = await identify(server, to);
    expect([response.status, Object.keys(response.body as object)]).toEqual([201, Object.keys(plain.body as object)]);
    const found = await inbox(server, to);
    expect(found).toHaveLength(expected.length);
    expect(found).toMatchObject(expected);
  }
  const [first, second] = await inbox(server, 'twice+x@inbox.example');
  expect([first?.code, first?.id === second?.id]).toEqual([second?.code, false]);
  const [bounced] = await inbox(server, 'bounced+x@inbox.example');
  expect(bounced).not.toHaveProperty('code');
  expect(bounced?.text).toContain('******');
});

describe('test behaviour is disabled', () => {
  test.each([
    ['without the control plane', { flags: { 'disable-control-plane': true } }],
    ['with an SMTP relay', { environment: { IAM_SMTP_URL: 'smtp://127.0.0.1:1' } }],
  ])('%s', async (_, options) => {
    await using server = await startServer(options);
    const holder = { purpose: 'mfa', subject: 'user:ann' } as const;
    for (const to of ['never@inbox.example', 'late+30s@inbox.example', 'fixed+123456@inbox.example'])
      await sendTestCode(server.appContext, holder, emailContact(to));
    const messages = await server.appContext.store.messages.list();
    expect(messages).toHaveLength(3);
    expect(messages.filter(({ delivery }) => delivery === 'late')).toEqual([]);
    expect(server.appContext.outbox.findOutcome(emailContact('fixed+123456@inbox.example'))).toBeUndefined();
  });
});
