/** Writes on the page of a user in a real browser, each with its effect on the server. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../harness.ts';
import { send } from '../server/control/control-client.ts';
import { hasBrowser, launchBrowser, openConsole } from './console-page.ts';

describe.skipIf(!hasBrowser)('a user', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    server = await startServer({ seed: { users: [{ userId: 'alice' }, { userId: 'bob' }] } });
    return () => server[Symbol.asyncDispose]();
  });

  async function open(path: string) {
    const opened = await openConsole(browser, server.url, { path });
    return { ...opened, dialog: opened.page.getByRole('dialog') };
  }

  const readUser = async (id: string) => (await send(server, `/_iam/users/${id}`)).body;

  test('is locked with a reason, and unlocked', async () => {
    const { page, dialog, problems } = await open('users/alice');
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await dialog.getByLabel('Reason').fill('<b>Lost phone');
    await dialog.getByRole('button', { name: 'Lock the user' }).click();
    await page.getByRole('main').getByText('<b>Lost phone').waitFor();
    expect(await readUser('alice')).toMatchObject({ locked: true, lockReason: '<b>Lost phone' });
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await dialog.getByRole('button', { name: 'Unlock the user' }).click();
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
    expect(await readUser('alice')).toMatchObject({ locked: false });
    expect(problems).toEqual([]);
  });

  test('is deleted after a confirmation', async () => {
    const { page, dialog, problems } = await open('users/alice');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('memberships (0)').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await readUser('alice')).toMatchObject({ userId: 'alice' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete the user' }).click();
    await page.getByRole('button', { name: 'bob' }).waitFor();
    expect((await send(server, '/_iam/users/alice')).status).toBe(404);
    expect(problems).toEqual([]);
  });

  test('loses all its sessions', async () => {
    await send(server, '/_iam/sessions', { method: 'POST', body: { userId: 'alice' } });
    await send(server, '/_iam/sessions', { method: 'POST', body: { userId: 'bob' } });
    const { page, dialog, problems } = await open('users/alice');
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await dialog.getByRole('button', { name: 'End the sessions' }).click();
    await page.getByText('No active sessions').waitFor();
    expect(await readUser('alice')).toMatchObject({ sessions: 0 });
    expect(await readUser('bob')).toMatchObject({ sessions: 1 });
    expect(problems).toEqual([]);
  });
});
