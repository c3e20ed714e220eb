/** Messages survive a kill: they are stored in the transaction that causes them. */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { startFakeServer } from '../../client/fake-server.ts';
import { createLauncher, type Launcher, type StartOptions } from './spawn.ts';

const administrator = { IAM_ADMIN_CLIENT_ID: 'admin', IAM_ADMIN_CLIENT_SECRET: 'secret-of-the-administrator' };
const authorization = `Basic ${btoa(`admin:${administrator.IAM_ADMIN_CLIENT_SECRET}`)}`;
const mobile = { regionCode: 55, areaCode: 11, phoneNumber: 987654321 };

let launcher: Launcher;
beforeAll(async () => {
  launcher = await createLauncher();
});
afterAll(() => launcher.remove());

async function sendRequest(url: string, method: string, at: string, body: unknown): Promise<Response> {
  const headers = { authorization, 'content-type': 'application/json' };
  return fetch(url + servicePrefix + at, { method, headers, body: JSON.stringify(body) });
}

/** Creates a user, changes its contacts and kills the server after the response. */
async function changeAndKill(options: StartOptions, change: object): Promise<void> {
  const run = launcher.start(options);
  const { url } = await run.ready();
  const created = await sendRequest(url, 'POST', '/user-identities', { userName: 'ann', userEmail: 'ann@example.com' });
  expect(created.ok).toBe(true);
  const [user] = (await (await fetch(`${url}/_iam/users?name=ann`)).json()) as { userId: string }[];
  const at = `/user-identities/${user?.userId}`;
  expect((await sendRequest(url, 'PATCH', at, { userEmail: 'ann@example.com', userMobile: mobile })).status).toBe(204);
  const changed = await sendRequest(url, 'PATCH', at, change);
  run.process.kill('SIGKILL');
  expect(changed.status).toBe(204);
  expect(await run.exit()).toBe('SIGKILL');
}

test('an acknowledged message is in the inbox after a kill', async () => {
  const options = { flags: { data: path.join(launcher.folder(), 'store') }, environment: administrator };
  await changeAndKill(options, { userEmail: 'new@example.com' });
  const run = launcher.start(options);
  const { url } = await run.ready();
  const response = await fetch(`${url}/_iam/inbox/wait?to=ann@example.com&timeout=0`);
  expect(await response.json()).toMatchObject({ to: 'ann@example.com', purpose: 'contact-changed' });
  const messages = (await (await fetch(`${url}/_iam/inbox`)).json()) as { to: string; purpose: string }[];
  const others = messages.filter(({ to }) => to !== 'ann@example.com');
  expect(messages).toHaveLength(2);
  expect(others).toMatchObject([{ to: '+5511987654321', purpose: 'login-changed' }]);
});

test('a message that the relay did not accept before a kill is delivered after it', async () => {
  let status = 503;
  await using sms = await startFakeServer(() => ({ status }));
  const data = path.join(launcher.folder(), 'store');
  const options = { flags: { data, 'sms-hook-url': sms.url, 'log-level': 'info' }, environment: administrator };
  await changeAndKill(options, { userMobile: { ...mobile, phoneNumber: 987654322 } });
  status = 204;
  const before = sms.received.length;
  const run = launcher.start(options);
  const { url } = await run.ready();
  while (sms.received.length === before) await new Promise((resolve) => setTimeout(resolve, 10));
  const { id, to, text } = JSON.parse(sms.received.at(-1)?.body ?? '{}') as Record<string, string>;
  expect([to, text]).toEqual(['+5511987654321', 'The mobile number of your account was changed by an administrator.']);
  const messages = (await (await fetch(`${url}/_iam/inbox`)).json()) as { channel: string }[];
  expect(messages.filter(({ channel }) => channel === 'sms')).toMatchObject([{ id, to }]);
  expect(run.stderr()).not.toContain('987654321');
});
