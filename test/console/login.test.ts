/** The login of the console on a server with remote access. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adminClient, appClientId, startServer, type TestServer } from '../harness.ts';
import { send } from '../server/control/control-client.ts';
import { hasBrowser, launchBrowser, openConsole } from './console-page.ts';

const adminPassword = 'demo-only correct horse';

describe.skipIf(!hasBrowser)('on a server with remote access', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const environment = { IAM_ADMIN_EMAIL: 'admin@example.com', IAM_ADMIN_PASSWORD: adminPassword };
    [server, browser] = await Promise.all([
      startServer({ flags: { 'allow-remote': true }, environment }),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    ({ page } = await openConsole(browser, server.url));
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
    return () => page.context().close();
  });

  async function logInAsClient(secret: string): Promise<void> {
    await page.getByText('Client', { exact: true }).click();
    await page.getByLabel('Client id').fill(adminClient.clientId);
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
  }

  test('shows nothing before the login, and keeps the form after a wrong secret', async () => {
    await logInAsClient('demo-only-wrong');
    await page
      .getByRole('alert')
      .getByText('401')
      .or(page.getByRole('alert').getByText('CREDENTIALS'))
      .first()
      .waitFor();
    expect(await page.getByLabel('Client id').inputValue()).toBe(adminClient.clientId);
    await page.getByRole('dialog').waitFor();
  });

  test('a client sees the inbox; the token is neither stored nor in the URL', async () => {
    await logInAsClient(adminClient.clientSecret);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('No messages yet').waitFor();
    await page.getByRole('button', { name: `Log out ${adminClient.clientId}` }).waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
    );
    expect(String(stored)).not.toMatch(/eyJ/);
    await page.getByRole('button', { name: `Log out ${adminClient.clientId}` }).click();
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
  });

  test('a user logs in with a password and a code', async () => {
    await page.getByLabel('User name').fill('admin');
    await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
    await page.getByLabel('Application client').fill(appClientId);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('button', { name: 'Send a code' }).click();
    const field = page.getByLabel(/^Code sent to/);
    await field.waitFor();
    const basic = `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}`;
    const { body } = await send(server, '/_iam/inbox', { headers: { Authorization: basic } });
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
    await logInAsClient(adminClient.clientSecret);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByLabel('Address or number').fill('carol@example.com');
    await page.getByText('No message matches').waitFor();
    server.clock.advance(7200);
    await page.getByLabel('Address or number').fill('bob@example.com');
    await page.getByRole('dialog', { name: 'Log in as an administrator' }).waitFor();
    await logInAsClient(adminClient.clientSecret);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('No message matches').waitFor();
    expect(await page.getByLabel('Address or number').inputValue()).toBe('bob@example.com');
  });
});
