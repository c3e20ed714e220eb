/** The login of the console on a server with remote access. */
import type { Page, Request, Route } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorTable } from '../../../../src/contract/error-codes.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient, appClientId, createFakeClock } from '../../../../test/harness.ts';
import { hasBrowser } from '../harness/browser.ts';
import { reconnect } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';
import { listDisabledButtons, logInAsClient } from './log-in.ts';

const adminPassword = 'demo-only correct horse';

describe.skipIf(!hasBrowser)('on a server with remote access', () => {
  const clock = createFakeClock();
  const { open, send, service } = useConsole({
    server: {
      clock,
      flags: { 'allow-remote': true },
      environment: { IAM_ADMIN_EMAIL: 'admin@example.com', IAM_ADMIN_PASSWORD: adminPassword },
    },
  });
  let page: Page;
  beforeEach(async () => {
    ({ page } = await open('inbox'));
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
  });

  const readClockWith = async (token: string) =>
    (await send('/_iam/clock', { headers: { Authorization: `Bearer ${token}` } })).status;

  test('shows nothing before the login, and keeps the form after a wrong secret', async () => {
    await logInAsClient(page, { ...adminClient, clientSecret: 'demo-only-wrong' });
    const dialog = page.getByRole('dialog', { name: 'Log in as an administrator' });
    await dialog.getByRole('alert').getByText('CREDENTIALS_INVALID').waitFor();
    await dialog.getByText(errorTable.CREDENTIALS_INVALID.hint).waitFor();
    expect(await page.getByLabel('Client id').inputValue()).toBe(adminClient.clientId);
    await logInAsClient(page, adminClient);
    await dialog.waitFor({ state: 'hidden' });
  });

  test('a client sees the inbox; the token is neither stored nor in the URL', async () => {
    await logInAsClient(page, adminClient);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('No messages yet').waitFor();
    await page.getByRole('button', { name: `Log out ${adminClient.clientId}` }).waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
    );
    expect(String(stored)).not.toMatch(/eyJ/);
  });

  test.runIf(isFullRun)('logging out revokes the token on the server', async () => {
    const token = await logInAsClient(page, adminClient);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await readClockWith(token)).toBe(200);
    await page.getByRole('button', { name: `Log out ${adminClient.clientId}` }).click();
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Log out/ }).count()).toBe(0);
    expect(await readClockWith(token)).toBe(401);
  });

  test.runIf(isFullRun)(
    'a logout that the server does not answer can be repeated, or made in the page only',
    async () => {
      const token = await logInAsClient(page, adminClient);
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.route('**/_iam/revoke', (route) => route.abort('connectionrefused'));
      await page.getByRole('button', { name: /^Log out/ }).click();
      const question = page.getByRole('dialog', { name: 'The token was not revoked' });
      await question.getByText('UNREACHABLE').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: /^Log out/ }).click();
      await question.getByRole('button', { name: 'Log out of this page only' }).click();
      await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
      expect(await readClockWith(token)).toBe(200);
    },
  );

  test.runIf(isFullRun)('a caller that may not read anything is rejected, and its token is revoked', async () => {
    const token = await logInAsClient(page, await service().makeClient({ clientId: 'without-roles' }));
    const dialog = page.getByRole('dialog', { name: 'Log in as an administrator' });
    await dialog
      .getByRole('alert')
      .getByText(/requires IAM_ADMIN_READ_ONLY or ADMIN/)
      .waitFor();
    await expect.poll(() => readClockWith(token)).toBe(401);
    await logInAsClient(page, adminClient);
    await dialog.waitFor({ state: 'hidden' });
  });

  test('a user without a second factor changes nothing', async () => {
    await page.getByLabel('User name').fill('admin');
    await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('button', { name: 'Continue read-only' }).click();
    await page.getByText('Not shown: messages and their codes').waitFor();
    await page.getByText('Requires AUTH-MFA. Log in with a second factor.').first().waitFor();
    expect(await listDisabledButtons(page)).toEqual({});
  });

  test('a user logs in with a password and a code', async () => {
    await page.getByLabel('User name').fill('admin');
    await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
    await page.getByRole('button', { name: 'Log in through another client' }).click();
    await page.getByLabel('Application client').fill(appClientId);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('button', { name: 'Send a code' }).click();
    const field = page.getByLabel(/^Code sent to/);
    await field.waitFor();
    const basic = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
    const { body } = await send('/_iam/inbox', { headers: { Authorization: basic } });
    const [message] = body as { to: string; code: string }[];
    expect(message?.to).toBe('admin@example.com');
    await field.fill(message?.code ?? '');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByText('admin@example.com').first().waitFor();
    await page.getByRole('button', { name: 'Log out admin' }).waitFor();
  });

  test('typed text survives the end of a token', async () => {
    await logInAsClient(page, adminClient);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByLabel('Address or number').fill('carol@example.com');
    await page.getByText('No messages match').waitFor();
    // Once the text is typed: an earlier request of the page would ask for a login over the field.
    const expireThenSend = async (route: Route) => {
      clock.advance(7200);
      await route.continue();
    };
    await page.route(/\/_iam\/inbox\?.*bob/, expireThenSend, { times: 1 });
    await page.getByLabel('Address or number').fill('bob@example.com');
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
    await logInAsClient(page, adminClient);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('No messages match').waitFor();
    expect(await page.getByLabel('Address or number').inputValue()).toBe('bob@example.com');
  });

  test.runIf(isFullRun)('a late rejection of an earlier token does not end the new login', async () => {
    await page.goto(`${service().url}/_iam/console/tokens`);
    await logInAsClient(page, adminClient);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // The page inspects its own token as well, to know the roles of its caller.
    const inspected = 'demo-only-inspected';
    const isHeld = (request: Request) => request.postData()?.includes(inspected) ?? false;
    const held = new Promise<Route>((resolve) => {
      void page.route('**/_iam/tokens/inspect', (route) =>
        isHeld(route.request()) ? resolve(route) : route.fallback(),
      );
    });
    await page.getByRole('textbox', { name: 'Token' }).fill(inspected);
    await page.getByRole('button', { name: 'Inspect' }).click();
    const late = await held;
    clock.advance(7200);
    const rejection = await late.fetch();
    expect(rejection.status()).toBe(401);
    // Another request asks for the login.
    await reconnect(page, adminClient.clientId);
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
    await logInAsClient(page, adminClient);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const received = page.waitForResponse((response) => isHeld(response.request()));
    await late.fulfill({ response: rejection });
    await (await received).finished();
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
