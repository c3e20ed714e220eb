/** Many open consoles: tabs share one stream of events, and hidden tabs hold none. */
import type { BrowserContext, Page, Request } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { hasBrowser, sharedBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

// The stream itself is open to 100 clients: test/server/control/routes/events/stream.test.ts.
// More than the six connections of a browser to one host: with a stream for each tab the last ones would not load.
const tabCount = isFullRun ? 10 : 7;

const toUser = (userId: string) => ({ userId, userName: userId, userEmail: `${userId}@example.com` });

describe.skipIf(!hasBrowser)('open tabs', () => {
  const { send, service } = useConsole({ seed: { users: ['alice', 'bob'].map(toUser) } });
  let context: BrowserContext;
  beforeEach(async () => {
    context = await (await sharedBrowser()).newContext();
    return () => context.close();
  });

  /** Opens consoles as tabs of one browser; `readers` are those that read the stream. */
  async function openTabs(count: number): Promise<{ tabs: Set<Page>; readers: Set<Page> }> {
    const readers = new Set<Page>();
    const tabs = new Set<Page>();
    const openNext = async () => {
      const page = await context.newPage();
      tabs.add(page);
      trackStream(page, readers);
      await page.goto(`${service().url}/_iam/console/inbox`);
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    };
    await Promise.all(Array.from({ length: count }, openNext));
    return { tabs, readers };
  }

  const sendMessage = (userName: string) =>
    send(`/security/iam/v1/user-identities/retrieve-identity?clientId=test-app`, {
      method: 'POST',
      body: { userName },
    });

  test('share one stream, also after the tab that reads it is closed or hidden', { timeout: 180_000 }, async () => {
    const { tabs, readers } = await openTabs(tabCount);
    const [first] = readers;
    expect(readers.size).toBe(1);
    await first?.close();
    tabs.delete(first as Page);
    await expect.poll(() => readers.size).toBe(1);
    const [second] = readers;
    await setVisibility(second as Page, 'hidden');
    await expect.poll(() => readers.has(second as Page)).toBe(false);
    await expect.poll(() => readers.size).toBe(1);
    await setVisibility(second as Page, 'visible');
    await sendMessage('alice');
    for (const tab of tabs) await tab.getByText('alice@example.com').first().waitFor();
    expect([readers.size, tabs.size]).toEqual([1, tabCount - 1]);
  });

  test.runIf(isFullRun)(
    'hold no connection while all are hidden, and show what happened when they are visible again',
    async () => {
      const { tabs, readers } = await openTabs(2);
      for (const tab of tabs) await setVisibility(tab, 'hidden');
      await expect.poll(() => readers.size).toBe(0);
      await sendMessage('bob');
      for (const tab of tabs) await setVisibility(tab, 'visible');
      for (const tab of tabs) await tab.getByText('bob@example.com').first().waitFor();
      expect(readers.size).toBe(1);
    },
  );
});

/** Adds the page to the readers while it reads the stream. */
function trackStream(page: Page, readers: Set<Page>): void {
  const isStream = (request: Request) => request.url().includes('/_iam/events');
  page.on('request', (request) => isStream(request) && readers.add(page));
  page.on('requestfailed', (request) => isStream(request) && readers.delete(page));
  page.on('requestfinished', (request) => isStream(request) && readers.delete(page));
  page.on('close', () => readers.delete(page));
}

/** A headless browser shows all tabs: this is what its page sees when another tab is opened. */
function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<unknown> {
  return page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
}
