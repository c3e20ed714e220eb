/** The page of metrics in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { findViewProblems } from './axe-violations.ts';
import { closeContexts, hasBrowser, openConsole, sharedBrowser } from './console-page.ts';

describe.skipIf(!hasBrowser)('metrics', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await server?.[Symbol.asyncDispose]();
  });

  test('say so without requests, then show charts and the same figures as tables', async () => {
    const { page, problems } = await openConsole(browser, server.url, { path: 'metrics' });
    await page.getByText('No requests in this time').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    for (let count = 0; count < 3; count += 1) await server.admin.groups.list();
    await expect(server.as().groups.list()).rejects.toThrow();
    await page.reload();
    // The login of the client, its three requests, and one without credentials.
    await page.getByText('Requests in this time: 5.').waitFor();
    // An interval may end between them.
    await page
      .getByRole('img', { name: /^Requests: Requests at most [2-5], Errors at most 1/ })
      .locator('path')
      .first()
      .waitFor();
    await page.getByText('Logins as a table').click();
    await page.getByRole('table').filter({ hasText: 'Logins' }).getByRole('cell', { name: '1', exact: true }).waitFor();
    await page.getByText('Durations as a table').click();
    await page
      .getByRole('cell', { name: /^[\d.]+ ms$/ })
      .first()
      .waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('are of the last hour with a parameter of the URL', async () => {
    const { page, problems } = await openConsole(browser, server.url, { path: 'metrics' });
    await page.getByRole('combobox', { name: 'Time' }).selectOption('The last hour');
    await page.waitForURL('**/metrics?intervals=360');
    await page.reload();
    expect(await page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('360');
    await page.getByRole('img').first().waitFor();
    expect(problems).toEqual([]);
  });
});
