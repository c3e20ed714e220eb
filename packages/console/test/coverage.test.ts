/** The page of contract coverage in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { send } from '../../../test/server/control/control-client.ts';
import { findViewProblems } from './axe-violations.ts';
import { closeContexts, hasBrowser, openConsole, sharedBrowser } from './console-page.ts';

describe.skipIf(!hasBrowser)('coverage', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await server?.[Symbol.asyncDispose]();
  });

  test('shows counts by operation and status, and leads to the requests', async () => {
    await server.admin.groups.list();
    await send(server, '/security/iam/v1/groups/none');
    const { page, problems } = await openConsole(browser, server.url, { path: 'coverage' });
    const table = page.getByRole('region', { name: 'Statuses by operation' });
    const { items } = (await send(server, '/_iam/coverage')).body as { items: { operation: string }[] };
    await table.getByRole('rowheader').first().waitFor();
    expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(items.map(({ operation }) => operation));
    await page.getByText(/^Returned since/).waitFor();
    expect(await page.getByText(/^Returned since/).innerText()).toMatch(/: 3 of 91 operations /);
    expect(await findViewProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Operation', { exact: true }).fill('groups.');
    await page.waitForURL('**/coverage?search=groups.');
    await expect.poll(() => table.getByRole('rowheader').count()).toBeLessThan(items.length);
    await table
      .getByRole('row', { name: /^groups\.get/ })
      .locator('summary')
      .click();
    await table.getByText('GROUP_NOT_FOUND').first().waitFor();
    await table.getByRole('link', { name: 'groups.get, status 401: 1' }).click();
    await page.waitForURL('**/requests?operation=groups.get&status=401');
    await page.getByText('1 in all').waitFor();
    await page.goBack();
    await page.waitForURL('**/coverage?search=groups.');
    expect(problems).toEqual([]);
  });

  test('hides what is complete, and says so if nothing matches', async () => {
    const { page } = await openConsole(browser, server.url, { path: 'coverage?search=nosuch' });
    await page.getByText('No operation matches').waitFor();
    await page.getByLabel('Only operations with missing').check();
    await page.waitForURL('**/coverage?search=nosuch&missing=yes');
    await page.getByLabel('Operation', { exact: true }).fill('groups.list');
    await page.getByRole('rowheader', { name: 'groups.list', exact: true }).waitFor();
  });

  test('is reset after a confirmation', async () => {
    await server.admin.groups.list();
    const { page, problems } = await openConsole(browser, server.url, { path: 'coverage' });
    const exercised = async () =>
      ((await send(server, '/_iam/coverage')).body as { operations: { exercised: number } }).operations.exercised;
    const openDialog = () => page.getByRole('main').getByRole('button', { name: 'Reset the counters' }).click();
    await openDialog();
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await exercised()).toBeGreaterThan(0);
    await openDialog();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the counters' }).click();
    await page.getByText('0 of 91 operations').waitFor();
    expect(await exercised()).toBe(0);
    expect(problems).toEqual([]);
  });
});
