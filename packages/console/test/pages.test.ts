/** Each page of the menu in a real browser, with the rules of WCAG 2.2 AA in a full run. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { appClientId } from '../../../test/harness.ts';
import { findViewProblems, findWidthOverflow, narrow } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('the page', () => {
  const { open, send, read } = useConsole({ isShared: true, server: {} });

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
      const views = isFullRun ? await findViewProblems(page) : await findWidthOverflow(page, [narrow.width]);
      found.push(...[...views, ...problems].map((problem) => `${path}: ${problem}`));
      expect(await page.title()).toBe(`${title} - IAM console`);
    }
    expect(found).toEqual([]);
  });

  test.runIf(isFullRun)('and the open rows of lists fit at five widths, with all that can be in force', async () => {
    const seed = { users: [{ userId: 'ann', userName: `ann-${'of-the-region-'.repeat(5)}`, userEmail: longEmail }] };
    await send('/_iam/seed', { method: 'POST', body: seed });
    const identity = `/security/iam/v1/user-identities/retrieve-identity?clientId=${appClientId}`;
    await send(identity, { method: 'POST', body: { userEmail: longEmail } });
    for (const operation of ['groups.get', 'users.get'])
      await send('/_iam/faults', { method: 'POST', body: { operation, effect: { status: 503 } } });
    await send('/_iam/clock', { method: 'PUT', body: { advance: '2h', freeze: true } });
    await send('/security/iam/v1/groups/nothing-of-this-name');
    const first = async (path: string, key: string) =>
      ((await read(`/_iam/${path}`)) as Record<string, string>[])[0]?.[key];
    const { page } = await open();
    const paths = (await listPages(page)).map(({ path }) => path);
    paths.push(`inbox/${await first('inbox', 'id')}`, `requests/${await first('requests', 'requestId')}`);
    paths.push(`audit/${await first('audit', 'id')}`, 'users/ann');
    const found: string[] = [];
    for (const path of paths) {
      await open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.mantine-Skeleton-root, .skeleton').first().waitFor({ state: 'detached' });
      const overflow = await findWidthOverflow(page, [390, 768, 1024, 1280, 1440]);
      found.push(...overflow.map((problem) => `${path}: ${problem}`));
    }
    expect(found).toEqual([]);
  });
});

const longEmail = `${'a-long-address-'.repeat(3)}of-the-region@example.com`;
