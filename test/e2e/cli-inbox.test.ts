/** Messages, sessions and keys with the built command against the built server. */
import { expect, test } from 'vitest';
import { startFakeServer } from '../client/fake-server.ts';
import { startMailServer } from '../server/messaging/smtp-server.ts';
import { makeRunner, type Runner } from './runner.ts';

const administrator = {
  IAM_APP_CLIENT_ID: 'e2e-app',
  IAM_ADMIN_USER: 'root@example.com',
  IAM_ADMIN_PASSWORD: 'a-long-password-of-the-end-to-end-tests',
};

async function createAnn(sandbox: Runner, variables: Readonly<Record<string, string>>): Promise<string> {
  const created = await sandbox.iam(
    ['users', 'create', '--user-name', 'ann', '--user-email', 'ann@example.com'],
    variables,
  );
  expect(created.code).toBe(0);
  return (await sandbox.iam(['users', 'list', '--name', 'ann', '-o', 'name'], variables)).out.trim();
}

test('waits for a message and shows it in the inbox', async () => {
  await using sandbox = await makeRunner();
  const { variables } = await sandbox.serve();
  const userId = await createAnn(sandbox, variables);
  const update = (email: string) => sandbox.iam(['users', 'update', userId, '--user-email', email], variables);
  // An address set by an administrator is verified; notices go only to verified contacts.
  expect((await update('ann@example.com')).code).toBe(0);
  const waiting = sandbox.iam(['inbox', 'wait', '--to', 'ann@example.com', '--wait', '30s', '-o', 'json'], variables);
  expect((await update('new@example.com')).code).toBe(0);
  const { code, out } = await waiting;
  expect([code, JSON.parse(out)]).toMatchObject([0, { to: 'ann@example.com', purpose: 'contact-changed' }]);
  expect((await sandbox.iam(['inbox', 'list'], variables)).out).toContain('ann@example.com');
  expect(await sandbox.iam(['inbox', 'code', 'ann@example.com'], variables)).toMatchObject({ code: 3, out: '' });
});

test('messages are sent through the configured relays', async () => {
  await using sandbox = await makeRunner();
  await using mail = await startMailServer();
  await using sms = await startFakeServer(() => ({ status: 204 }));
  const flags = ['--store', 'memory', '--sms-hook-url', sms.url];
  const { variables } = await sandbox.serve(flags, { IAM_SMTP_URL: mail.url });
  const userId = await createAnn(sandbox, variables);
  const update = ['users', 'update', userId];
  const mobile = (number: string) => [
    ...['--user-mobile.region-code', '1', '--user-mobile.area-code', '202', '--user-mobile.phone-number', number],
  ];
  expect(
    (await sandbox.iam([...update, '--user-email', 'one@example.com', ...mobile('5550100')], variables)).code,
  ).toBe(0);
  expect(
    (await sandbox.iam([...update, '--user-email', 'two@example.com', ...mobile('5550101')], variables)).code,
  ).toBe(0);
  while (mail.mails.length < 1 || sms.received.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(mail.mails.at(-1)?.to).toHaveLength(1);
  expect(JSON.parse(sms.received[0]?.body ?? '{}')).toMatchObject({ to: '+12025550100' });
});

test('lists and ends sessions and rotates keys', async () => {
  await using sandbox = await makeRunner();
  const { url, variables } = await sandbox.serve(['--store', 'memory'], administrator);
  const login = [
    'login',
    '--base-url',
    url,
    '--user',
    'root@example.com',
    '--client-id',
    'e2e-app',
    '--password-stdin',
  ];
  expect((await sandbox.iam(login, {}, administrator.IAM_ADMIN_PASSWORD)).code).toBe(0);
  const rotated = JSON.parse((await sandbox.iam(['keys', 'rotate', '-o', 'json'], variables)).out) as { kid: string };
  expect((await sandbox.iam(['keys', '-o', 'name'], variables)).out.split('\n')[0]).toBe(rotated.kid);
  expect((await sandbox.iam(['groups', 'list'])).code).toBe(0);
  const sessionId = (await sandbox.iam(['sessions', 'list', '-o', 'name'], variables)).out.trim();
  expect((await sandbox.iam(['sessions', 'end', sessionId, '--yes'], variables)).code).toBe(0);
  expect((await sandbox.iam(['groups', 'list'])).code).toBe(4);
});
