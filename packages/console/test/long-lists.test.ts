/** Lists of thousands of rows after changes on the server: few requests, and the scroll position stays. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { send } from '../../../test/server/control/control-client.ts';
import { closeContexts, hasBrowser, loadConsole, openConsole, sharedBrowser } from './console-page.ts';

const count = 3000;
const idAt = (at: number) => `user-${String(at).padStart(4, '0')}`;
const ids = Array.from({ length: count }, (_, at) => idAt(at));

describe.skipIf(!hasBrowser)('a list of thousands of rows', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  /** Requests for pages of the list. */
  let requests: string[];
  beforeAll(async () => {
    const seed = { users: ids.map((userId) => ({ userId })), groups: [{ groupName: 'all', users: ids }] };
    [server, browser] = await Promise.all([startServer({ seed }), sharedBrowser()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await server?.[Symbol.asyncDispose]();
  });

  async function open(path: string, region: string): Promise<void> {
    ({ page } = await openConsole(browser, server.url));
    // Without the stream: its first connection reads the list again, and those requests would be counted.
    await page.route('**/_iam/events?*', () => {});
    ({ problems } = await loadConsole(page, server.url, path));
    requests = [];
    page.on('request', (request) => {
      if (request.url().includes('limit=500')) requests.push(request.url());
    });
    await page.getByRole('region', { name: region, exact: true }).waitFor();
    await expect.poll(async () => (await scroll(1e7)) && page.getByText(`${count} in all`).count()).toBe(1);
    await scroll(1e7);
    requests.length = 0;
  }

  const scroll = async (top: number) => {
    await page.evaluate(`document.querySelector('section.rows').scrollTo(0, ${top})`);
    return true;
  };
  const scrollTop = async () => Number(await page.evaluate(`document.querySelector('section.rows').scrollTop`));
  const row = (id: string) => page.getByRole('region').getByRole('row').filter({ hasText: id });
  /** As another tab does, which holds the stream of events. */
  const reconnect = () =>
    page.evaluate(
      `new BroadcastChannel('iam-console').postMessage({ subject: 'inbox,requests,clock,faults ', event: 'connected' })`,
    );
  const rename = (userId: string, userName: string) =>
    send(server, '/_iam/seed', { method: 'POST', body: { users: [{ userId, userName }] } });

  test('reads two pages from the visible rows, and the others when they are scrolled to', async () => {
    await open('users?search=user-&sort=userId', 'Users');
    await scroll(1600 * 40);
    await row(idAt(1600)).waitFor();
    const top = await scrollTop();
    await rename(idAt(1600), 'changed-visible');
    await rename(idAt(3), 'changed-above');
    await rename(idAt(2990), 'changed-below');
    await reconnect();
    await row('changed-visible').waitFor();
    expect(requests).toHaveLength(2);
    expect(await scrollTop()).toBe(top);
    await scroll(0);
    await row('changed-above').waitFor();
    await expect.poll(async () => (await scroll(1e7)) && row('changed-below').count()).toBe(1);
    await page.getByText(`${count} in all`).waitFor();
    expect(problems).toEqual([]);
  });

  test('reads two pages from its beginning if its end is not visible', async () => {
    await open('users?search=user-&sort=-userId', 'Users');
    await scroll(0);
    await row(idAt(2999)).waitFor();
    await rename(idAt(2998), 'changed-first');
    await reconnect();
    await row('changed-first').waitFor();
    expect(requests).toHaveLength(2);
    await page.getByText('1000 shown, more follow').waitFor();
    expect(problems).toEqual([]);
  });

  test('loses a row at its end, where it stays', async () => {
    await open('groups/all', 'Members of the group');
    await page.getByRole('button', { name: `Remove ${idAt(2995)}`, exact: true }).click();
    const top = await scrollTop();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the member' }).click();
    await page.getByText('2999 in all').waitFor();
    await row(idAt(2994)).waitFor();
    expect(await row(idAt(2995)).count()).toBe(0);
    expect(requests.length).toBeLessThanOrEqual(2);
    expect(top - (await scrollTop())).toBeLessThanOrEqual(40);
    expect(problems).toEqual([]);
  });
});
