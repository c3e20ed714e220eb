/** Each page of the console in a real browser, in both colour schemes and at two widths, with the rules of WCAG 2.2 AA. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../harness.ts';
import { hasBrowser, launchBrowser, openConsole } from './console-page.ts';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Returns the violations, with an element of each. */
async function violationsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the Content Security Policy of the page does not restrict.
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(standards)} } })`,
  )) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

const views = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, width })),
);

describe.skipIf(!hasBrowser)('the page', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  /** The pages of the menu: path below the server, and title. */
  async function listPages(): Promise<{ path: string; title: string }[]> {
    const { page, context } = await openConsole(browser, server.url);
    const links = await page.getByRole('navigation', { name: 'Pages' }).locator('a[aria-keyshortcuts]').all();
    const pages = await Promise.all(
      links.map(async (link) => ({
        path: String(await link.getAttribute('href')).replace('/_iam/console/', ''),
        title: await link.innerText(),
      })),
    );
    await context.close();
    return pages;
  }

  test.each(views)('of each entry of the menu, in $colorScheme colours, $width pixels wide', async (view) => {
    const pages = await listPages();
    expect(pages.length).toBeGreaterThan(0);
    const found: string[] = [];
    for (const { path, title } of pages) {
      const { page, context, problems } = await openConsole(browser, server.url, { path, ...view });
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.waitForLoadState('load');
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      found.push(
        ...[...(await violationsOf(page)), ...problems].map((problem) => `${path}: ${problem}`),
        ...(Number(overflow) > 0 ? [`${path}: ${overflow} pixels wider than the window`] : []),
      );
      expect(await page.title()).toBe(`${title} - IAM console`);
      await context.close();
    }
    expect(found).toEqual([]);
  });
});
