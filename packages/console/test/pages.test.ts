/** Each page of the console in a real browser, in both colour schemes and at two widths, with the rules of WCAG 2.2 AA. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { findViewProblems } from './axe-violations.ts';
import { closeContexts, hasBrowser, loadConsole, openConsole, sharedBrowser } from './console-page.ts';

describe.skipIf(!hasBrowser)('the page', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await server?.[Symbol.asyncDispose]();
  });

  /** The pages of the menu: path below the server, and title. */
  async function listPages(page: Page): Promise<{ path: string; title: string }[]> {
    const links = page.getByRole('navigation', { name: 'Pages' }).locator('a[aria-keyshortcuts]');
    await links.first().waitFor();
    return await Promise.all(
      (await links.all()).map(async (link) => ({
        path: String(await link.getAttribute('href')).replace('/_iam/console/', ''),
        title: await link.innerText(),
      })),
    );
  }

  test('of each entry of the menu has no violation, in both colour schemes and at two widths', async () => {
    const { page } = await openConsole(browser, server.url);
    const pages = await listPages(page);
    expect(pages.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const { path, title } of pages) {
      const { problems } = await loadConsole(page, server.url, path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.waitForLoadState('load');
      found.push(...[...(await findViewProblems(page)), ...problems].map((problem) => `${path}: ${problem}`));
      expect(await page.title()).toBe(`${title} - IAM console`);
    }
    expect(found).toEqual([]);
  });
});
