/** Opens the console in a real browser, and records what a page must not do. */
import type { Frame, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { acquirePage, recordProblems, releasePage } from './browser.ts';

export interface ConsolePage {
  readonly page: Page;
  readonly dialog: Locator;
  /** Errors in the browser's console, violations of the Content Security Policy, and requests to other hosts. */
  readonly problems: readonly string[];
  /** False if the document is that of an earlier address. */
  readonly isLoaded: boolean;
}

interface OpenOptions {
  /** Below the console: `inbox?to=...`. */
  readonly path?: string;
  /** Prepares the page before it loads the address. */
  prepare?(page: Page): Promise<unknown>;
}

/** Loads an address in a page that no other running test uses. @param url of a server or a sandbox */
export async function openConsole(url: string, { path = '', prepare }: OpenOptions = {}): Promise<ConsolePage> {
  const page = await acquirePage();
  onTestFinished(async ({ task }) => {
    // A test that has failed may still use its page.
    if (task.result?.state === 'pass') await releasePage(page);
    else await page.context().close();
  });
  await prepare?.(page);
  return await loadConsole(page, url, path);
}

/** Loads another address in a page that a test has opened. */
export async function loadConsole(page: Page, url: string, path: string): Promise<ConsolePage> {
  const address = `${url}/_iam/console/${path}`;
  const problems = recordProblems(page, new URL(url).host);
  // Until then, the page is one of an earlier test, of which the server may be gone.
  const onNavigated = (frame: Frame) => {
    if (frame !== page.mainFrame() || frame.url() !== new URL(address).href) return;
    page.off('framenavigated', onNavigated);
    problems.length = 0;
  };
  page.on('framenavigated', onNavigated);
  await page.goto(address);
  return { page, dialog: page.getByRole('dialog'), problems, isLoaded: true };
}

/**
 * Opens an address of the service whose console the page shows, without loading it again: that takes a fifth of the
 * processor time. Leaves the open page first, so that nothing of it remains: what was typed, dialogs, the scroll position.
 */
export async function visitConsole(page: Page, url: string, path: string): Promise<ConsolePage> {
  // Over a control of the next address, the pointer would change its colours or show its tooltip.
  await page.mouse.move(0, 0);
  await navigate(page, `${url}/_iam/console/left`);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  // A menu of the top bar, which all pages have.
  const isOpen = (await page.locator('[role=dialog], [role=menu]').filter({ visible: true }).count()) > 0;
  if (isOpen) return await loadConsole(page, url, path);
  const problems = recordProblems(page, new URL(url).host);
  await navigate(page, `${url}/_iam/console/${path}`);
  return { page, dialog: page.getByRole('dialog'), problems, isLoaded: false };
}

/** Opens an address as the buttons for back and forward do, without loading the page again. */
export async function navigate(page: Page, address: string): Promise<void> {
  await page.evaluate(`(() => {
    history.pushState({}, '', ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent('popstate', { state: {} }));
  })()`);
}

/** Searches in a field with entries to choose from, and chooses the only one that is found. */
export async function chooseFound(field: Locator, text: string, name: string | RegExp): Promise<void> {
  const options = field.page().getByRole('listbox').getByRole('option');
  await field.fill(text);
  // A click while the found entries replace the others would hit neither.
  await expect.poll(() => options.count()).toBe(1);
  await options.and(field.page().getByRole('option', { name })).click();
}

/** Opens the dialog of the server's clock. */
export async function openClock(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Server actions' }).click();
  await page.getByRole('menuitem', { name: 'Clock' }).click();
  await page.getByRole('dialog', { name: 'Clock' }).waitFor();
}

/** Opens the confirmation of a reset. */
export async function openReset(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Server actions' }).click();
  await page.getByRole('menuitem', { name: 'Reset to the seed' }).click();
  await page.getByRole('dialog', { name: 'Reset to the seed' }).waitFor();
}

/** Clicks a button that copies. @returns the copied text; the button says for two seconds only that it was copied */
export async function copyWith(button: Locator): Promise<string> {
  const page = button.page();
  const readClipboard = async () => String(await page.evaluate('navigator.clipboard.readText()'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  // All pages share the clipboard.
  await page.evaluate(`navigator.clipboard.writeText('')`);
  await button.click();
  await expect.poll(readClipboard).not.toBe('');
  return await readClipboard();
}

/** Opens a page by `g` and its letter. Both are repeated: on a slow machine the letter may come too late. */
export async function openByKeys(page: Page, letter: string, title: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name: title });
  const pressKeys = async () => {
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    return await heading.count();
  };
  await expect.poll(pressKeys).toBe(1);
}

const pageLimit = 500;
const smallLimit = 60;

/** Of lists of many pages: 300 rows in place of this number, unless in a full run. See `shrinkPages`. */
export const listLength = (full: number) => (isFullRun ? full : 300);

/** The rows that the console reads at once. */
export const pageSize = isFullRun ? pageLimit : smallLimit;

/** From now on the lists of a page read 60 rows at once in place of 500, so that short ones have several pages, too. */
export async function shrinkPages(page: Page): Promise<void> {
  if (isFullRun) return;
  await page.route(/[?&]limit=500\b/, (route) =>
    route.fallback({ url: route.request().url().replace(`limit=${pageLimit}`, `limit=${pageSize}`) }),
  );
}

/**
 * Reports to a page that its stream of events connected again, as another tab does that holds it: it reads all again.
 * @param subject who has logged in
 */
export async function reconnect(page: Page, subject = ''): Promise<void> {
  const event = { subject: `inbox,requests,audit,clock,faults ${subject}`, event: 'connected' };
  await page.evaluate(
    `new BroadcastChannel('iam-console' + location.pathname.split('/_iam/')[0]).postMessage(${JSON.stringify(event)})`,
  );
}
