/** Each page of the menu in a real browser, with the rules of WCAG 2.2 AA in a full run. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { findNarrowOverflow, findViewProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('the page', () => {
  const { open } = useConsole({ isShared: true, server: {} });

  /** The pages of the menu: path below the console, and title. */
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

  test('of each entry of the menu has no problem, in both colour schemes and at two widths', async () => {
    const { page } = await open();
    const pages = await listPages(page);
    expect(pages.length).toBeGreaterThan(10);
    const found: string[] = [];
    for (const { path, title } of pages) {
      const { problems } = await open(path, { isReloaded: isFullRun });
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      // A full run loads each; its first requests are part of what is shown.
      const views = isFullRun ? await findViewProblems(page) : await findNarrowOverflow(page);
      found.push(...[...views, ...problems].map((problem) => `${path}: ${problem}`));
      expect(await page.title()).toBe(`${title} - IAM console`);
    }
    expect(found).toEqual([]);
  });
});
