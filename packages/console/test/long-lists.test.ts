/** Lists of many pages after changes on the server: few requests, and the scroll position stays. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { hasBrowser } from './harness/browser.ts';
import { listLength, openConsole, pageSize, reconnect, shrinkPages } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const count = listLength(3000);
/** In the middle of the list, on none of its first pages. */
const middle = Math.floor(count * 0.54);
const idAt = (at: number) => `user-${String(at).padStart(4, '0')}`;
const ids = Array.from({ length: count }, (_, at) => idAt(at));

describe.skipIf(!hasBrowser)('a list of many pages', () => {
  const seed = { users: ids.map((userId) => ({ userId })), groups: [{ groupName: 'all', users: ids }] };
  const { send, service } = useConsole({ seed, isShared: true });
  let page: Page;
  let problems: readonly string[];
  /** Requests for pages of the list. */
  const requests: string[] = [];

  async function open(path: string, region: string): Promise<void> {
    // Without the stream: its first connection reads the list again, and those requests would be counted.
    const prepare = async (opened: Page) => {
      await shrinkPages(opened);
      await opened.route('**/_iam/events?*', () => {});
    };
    ({ page, problems } = await openConsole(service().url, { path, prepare }));
    page.on('request', (request) => {
      if (request.url().includes('limit=500')) requests.push(request.url());
    });
    await page.getByRole('region', { name: region, exact: true }).waitFor();
    await expect.poll(async () => (await scroll(1e7)) && readAll().count()).toBe(1);
    await scroll(1e7);
    requests.length = 0;
  }

  const scroll = async (top: number) => {
    await page.evaluate(`document.querySelector('section.rows').scrollTo(0, ${top})`);
    return true;
  };
  /** The table, if all rows are read. */
  const readAll = () => page.locator(`table[aria-rowcount="${count + 1}"]`);
  const scrollTop = async () => Number(await page.evaluate(`document.querySelector('section.rows').scrollTop`));
  const row = (id: string) => page.getByRole('region').getByRole('row').filter({ hasText: id });
  const rename = (userId: string, userName: string) =>
    send('/_iam/seed', { method: 'POST', body: { users: [{ userId, userName }] } });

  test('reads two pages from the visible rows, and the others when they are scrolled to', async () => {
    await open('users?search=user-', 'Users');
    await scroll(middle * 30);
    await row(idAt(middle)).waitFor();
    const top = await scrollTop();
    await rename(idAt(middle), 'changed-visible');
    await rename(idAt(3), 'changed-above');
    await rename(idAt(count - 10), 'changed-below');
    await reconnect(page);
    await row('changed-visible').waitFor();
    expect(requests).toHaveLength(2);
    expect(await scrollTop()).toBe(top);
    await scroll(0);
    await row('changed-above').waitFor();
    await expect.poll(async () => (await scroll(1e7)) && row('changed-below').count()).toBe(1);
    await readAll().waitFor();
    await page.getByText(`${count.toLocaleString('en')} of `).waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('reads two pages from its beginning if its end is not visible', async () => {
    await open('users?search=user-&sort=-userName', 'Users');
    await scroll(0);
    await row(idAt(count - 1)).waitFor();
    await rename(idAt(count - 2), 'user-changed-first');
    await reconnect(page);
    await row('changed-first').waitFor();
    expect(requests).toHaveLength(2);
    await page.locator(`table[aria-rowcount="${2 * pageSize + 1}"]`).waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('loses a row at its end, where it stays', async () => {
    await open('groups/all', 'Members of the group');
    await page.getByRole('button', { name: `Remove ${idAt(count - 5)}`, exact: true }).click();
    const top = await scrollTop();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the member' }).click();
    await page.getByText(`${(count - 1).toLocaleString('en')} in all`).waitFor();
    await row(idAt(count - 6)).waitFor();
    expect(await row(idAt(count - 5)).count()).toBe(0);
    expect(requests.length).toBeLessThanOrEqual(2);
    expect(top - (await scrollTop())).toBeLessThanOrEqual(30);
    expect(problems).toEqual([]);
  });
});
