/** The inbox page in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../harness.ts';
import { hasBrowser, launchBrowser, openConsole } from './console-page.ts';

describe.skipIf(!hasBrowser)('the inbox', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  test('is the first page, and explains what appears there', async () => {
    const { page, problems } = await openConsole(browser, server.url);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/_iam/console/inbox');
    await page.getByText('No messages yet').waitFor();
    expect(problems).toEqual([]);
  });
});
