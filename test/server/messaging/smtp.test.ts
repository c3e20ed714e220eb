/** E-mails through an SMTP relay: their content, and that none is lost or duplicated while the relay is down. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emailContact, mobileContact } from '../../../src/server/messaging/contacts.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';
import { createRelayHarness } from './relay-harness.ts';
import { type MailServer, smtpPassword, startMailServer } from './smtp-server.ts';

const ann = emailContact('ann@example.com');

let server: TestServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  expect(server.log.join('\n')).not.toMatch(/ann@example|password-of-the-relay/);
  await server[Symbol.asyncDispose]();
});

const options = (mail: MailServer) => ({ smtpUrl: mail.url, smtpFrom: 'iam@service.example', portTimeout: 60_000 });

describe('an e-mail', () => {
  test('contains the code, from the configured sender to the one contact', async () => {
    await using mail = await startMailServer();
    await using relay = createRelayHarness(server, options(mail));
    const { messageId, code } = await relay.send(ann);
    await relay.settled();
    expect(mail.mails).toMatchObject([{ from: 'iam@service.example', to: ['ann@example.com'] }]);
    const { raw = '' } = mail.mails[0] ?? {};
    expect(raw).toContain(`Your code is ${code}.`);
    expect(raw).toMatch(/^Subject: Your code\r$/m);
    expect(raw).toMatch(/^From: iam@service\.example\r$/m);
    expect(raw).toMatch(/^Content-Type: text\/plain/m);
    expect(raw).toMatch(new RegExp(`^Message-ID: <${messageId}@service\\.example>\\r$`, 'm'));
    expect(server.log.join('\n')).not.toContain(code);
  });

  test('has no code in its row once it is sent', async () => {
    await using mail = await startMailServer();
    await using relay = createRelayHarness(server, options(mail));
    const { messageId, code } = await relay.send(ann);
    await relay.settled();
    const row = await server.appContext.store.messages.get(messageId);
    expect(row).toMatchObject({ delivery: 'sent', to: 'ann@example.com' });
    expect(row).not.toHaveProperty('sealedCode');
    const { body } = await send(server, '/_iam/inbox');
    expect(body).toMatchObject([{ id: messageId, attemptsLeft: 5 }]);
    expect(JSON.stringify(body)).not.toContain(code);
  });

  test('has one recipient, whatever characters the address contains', async () => {
    await using mail = await startMailServer();
    await using relay = createRelayHarness(server, options(mail));
    for (const to of ['"a,b@evil.example"@example.com', "o'neil+x@example.com", 'a;b@example.com'])
      await relay.send(emailContact(to), { purpose: 'mfa', subject: `contact:${to}` });
    await relay.settled();
    expect(mail.mails.map(({ to }) => to.length)).toEqual(mail.mails.map(() => 1));
    expect(mail.mails.map(({ raw }) => raw.match(/^(To|Cc|Bcc):/gim)?.length)).toEqual(mail.mails.map(() => 1));
  });

  test('is sent with the domain as A-labels where all is ASCII before the @, and with SMTPUTF8 else', async () => {
    await using mail = await startMailServer();
    await using relay = createRelayHarness(server, options(mail));
    for (const to of ['ann@bücher.de', 'jürgen@xn--bcher-kva.de', '用户@例え.テスト'])
      await relay.send(emailContact(to), { purpose: 'mfa', subject: `contact:${to}` });
    await relay.settled();
    // RFC 6531 allows both forms of the domain after such letters; nodemailer takes the one in Unicode.
    const recipients = ['ann@xn--bcher-kva.de', 'jürgen@bücher.de', '用户@例え.テスト'];
    // Not the envelope: the library of the server decodes it.
    const headers = mail.mails.map(({ raw }) => /^To: (.*)\r$/m.exec(raw)?.[1]);
    expect(headers).toEqual(recipients);
  });

  test('fails where the address needs SMTPUTF8 and the relay has not got it', async () => {
    await using mail = await startMailServer({ isInternational: false });
    await using relay = createRelayHarness(server, options(mail));
    const letters = [
      'jürgen@example.com',
      '用户@example.com',
      'ann@bücher.de',
      'ж@xn--bcher-kva.de',
      'ﬁ@example.com',
      '😀@example.com',
    ];
    const sent: string[] = [];
    for (const to of letters)
      sent.push((await relay.send(emailContact(to), { purpose: 'mfa', subject: `contact:${to}` })).messageId);
    await relay.settled();
    expect(mail.mails.map(({ to }) => to)).toEqual([['ann@bücher.de']]);
    const failure = 'the relay does not support SMTPUTF8, which the address requires';
    const rows = await Promise.all(sent.map((id) => server.appContext.store.messages.get(id)));
    const failed = { delivery: 'failed', failure };
    expect(rows).toMatchObject(letters.map((to) => (to.startsWith('ann') ? { delivery: 'sent' } : failed)));
    expect(relay.pauses).toEqual([]);
  });

  test('is sent through the relay; a text message is not', async () => {
    await using mail = await startMailServer();
    await using relay = createRelayHarness(server, options(mail));
    const { messageId } = await relay.send(mobileContact({ regionCode: 1, areaCode: 2, phoneNumber: 3 }));
    await relay.settled();
    expect(mail.mails).toEqual([]);
    expect(await relay.delivery(messageId)).toBeUndefined();
  });
});

describe('a relay', () => {
  test('that was down receives the message once', async () => {
    const down = await startMailServer();
    await down[Symbol.asyncDispose]();
    await using relay = createRelayHarness(server, options(down));
    const { messageId, code } = await relay.send(ann);
    await relay.settled(1);
    expect(await relay.delivery(messageId)).toBe('waiting');
    await using up = await startMailServer({ port: down.port });
    relay.endPauses();
    await relay.settled();
    relay.endPauses();
    expect(up.mails.map(({ raw }) => raw.includes(code))).toEqual([true]);
    expect(await relay.delivery(messageId)).toBe('sent');
  });

  test('that rejects the recipient permanently receives no retry', async () => {
    await using mail = await startMailServer({ replyCode: 550 });
    await using relay = createRelayHarness(server, options(mail));
    const { messageId, code } = await relay.send(ann);
    await relay.settled();
    expect([await relay.delivery(messageId), relay.pauses]).toEqual(['failed', []]);
    const message = await server.appContext.store.messages.get(messageId);
    expect(message).not.toHaveProperty('sealedCode');
    expect(message).toMatchObject({ failure: 'rejected with 550' });
    const line = server.log.find((one) => one.includes('failed permanently'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ messageId, channel: 'email', reason: 'rejected with 550' });
    expect(line).not.toContain(code);
  });

  test('that rejects temporarily, or rejects the login, is retried', async () => {
    await using mail = await startMailServer({ replyCode: 450 });
    await using relay = createRelayHarness(server, options(mail));
    await relay.send(ann);
    await relay.settled(1);
    const smtpUrl = mail.url.replace(smtpPassword, 'wrong');
    await using other = createRelayHarness(server, { ...options(mail), smtpUrl });
    other.outbox.start();
    await other.settled(1);
    expect([relay.pauses, other.pauses]).toEqual([[1000], [1000]]);
  });
});

test('no response, log or error contains the password of the relay', async () => {
  await using mail = await startMailServer();
  await using relaying = await startServer({ environment: { IAM_SMTP_URL: mail.url } });
  expect(relaying.appContext.outbox.isRelayed('email')).toBe(true);
  for (const path of ['/_iam/settings', '/openapi.json', '/readyz'])
    expect(JSON.stringify(await send(relaying, path))).not.toMatch(/password-of-the-relay|relay-user/);
  expect(relaying.log.join('\n')).not.toContain(smtpPassword);
  await expect(startServer({ environment: { IAM_SMTP_URL: `http://u:${smtpPassword}@h` } })).rejects.toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(smtpPassword) }),
  );
});
