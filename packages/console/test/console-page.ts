/** Opens the console of a running server in a real browser, and records what a page must not do. */
import process from 'node:process';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';

const found = inject('chromium');

/** Whether a browser is available; the reason was printed if not. */
export const hasBrowser = found !== undefined;

/** Launches a browser of its own, which the caller closes. @param more arguments of the browser */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (!found) throw new Error('no Chromium');
  // The arguments that the package recommends would switch web security off.
  return chromium.launch({
    executablePath: found.program,
    env: { ...process.env, ...found.env } as Record<string, string>,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', ...more],
  });
}

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the browser's console, violations of the Content Security Policy, and requests to other hosts. */
  readonly problems: string[];
}

interface OpenOptions {
  /** Below the console: `inbox?to=...`. */
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

const initialView = { colorScheme: 'light', width: 1280 } as const;
const viewportHeight = 800;
/** Below the time limit of a test, so that its failure names the action of the browser and what it waited for. */
const actionTimeout = 15_000;

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser of this process, which all files share: a launch takes 0.65 s of processor time. Playwright ends
 * it with the process. Callers close their contexts with `closeContexts`, not the browser.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

/** Closes all pages of a browser, so that the next file finds none. */
export async function closeContexts(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/** Empty pages of tests that have passed. */
const idle: Page[] = [];

/**
 * Opens an address in a page that no other running test uses. Tests get the pages of earlier ones: a page keeps its
 * renderer process, so that a load takes half the processor time of one in a new context. Each test gets a new
 * document, empty storage, and no route, permission or problem of the test before.
 * @param url of the server or of a sandbox
 */
export async function openConsole(
  browser: Browser,
  url: string,
  { path = '', colorScheme = initialView.colorScheme, width = initialView.width }: OpenOptions = {},
): Promise<ConsolePage> {
  const page = takeIdlePage(browser) ?? (await openPage(browser));
  onTestFinished(async ({ task }) => {
    // A test that has failed may still use its page.
    if (task.result?.state === 'pass' && (await emptyPage(page))) idle.push(page);
    else await page.context().close();
  });
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: viewportHeight });
  return await loadConsole(page, url, path);
}

/** Loads another address in a page that a test has opened. */
export async function loadConsole(page: Page, url: string, path: string): Promise<ConsolePage> {
  const problems = recordProblems(page, new URL(url).host);
  await page.goto(`${url}/_iam/console/${path}`);
  return { page, context: page.context(), problems };
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  return await context.newPage();
}

function takeIdlePage(browser: Browser): Page | undefined {
  for (let page = idle.pop(); page; page = idle.pop()) {
    if (!page.isClosed() && page.context().browser() === browser) return page;
  }
  return undefined;
}

/** As pages of the console have it: a document with another policy would end the renderer process. */
const emptyDocument = {
  contentType: 'text/html',
  headers: { 'Cross-Origin-Opener-Policy': 'same-origin' },
  body: '',
};

/** Returns false if the test has closed the page, or left it at a document without an origin. */
async function emptyPage(page: Page): Promise<boolean> {
  const context = page.context();
  try {
    await page.unrouteAll();
    const address = new URL('/empty', page.url()).href;
    await page.route(address, (route) => route.fulfill(emptyDocument), { times: 1 });
    await page.goto(address);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  } catch {
    return false;
  }
  await context.clearCookies();
  await context.clearPermissions();
  // Over a control, the pointer would show its tooltip in the next document.
  await page.mouse.move(0, 0);
  return true;
}

/** Searches in a field with entries to choose from, and chooses the only one that is found. */
export async function chooseFound(field: Locator, text: string, name: string | RegExp): Promise<void> {
  const options = field.page().getByRole('listbox').getByRole('option');
  await field.fill(text);
  // A click while the found entries replace the others would hit neither.
  await expect.poll(() => options.count()).toBe(1);
  await options.and(field.page().getByRole('option', { name })).click();
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

/** Records what the page reports from now on. */
function recordProblems(page: Page, host: string): string[] {
  page.setDefaultTimeout(actionTimeout);
  const problems: string[] = [];
  for (const event of ['pageerror', 'console', 'request', 'response']) page.removeAllListeners(event);
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol !== 'data:' && target.host !== host) problems.push(`request to ${target.host}`);
  });
  return problems;
}
