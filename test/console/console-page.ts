/** Opens the console of a running server in a real browser, and records what a page must not do. */
import process from 'node:process';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { inject } from 'vitest';

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

/** @param url of the server or of a sandbox */
export async function openConsole(
  browser: Browser,
  url: string,
  { path = '', colorScheme = initialView.colorScheme, width = initialView.width }: OpenOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height: viewportHeight },
    ignoreHTTPSErrors: true,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(actionTimeout);
  const problems: string[] = [];
  const { host } = new URL(url);
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol !== 'data:' && target.host !== host) problems.push(`request to ${target.host}`);
  });
  await page.goto(`${url}/_iam/console/${path}`);
  return { page, context, problems };
}

/**
 * Returns a function that loads addresses of one server in one page, one after another. The page keeps its renderer
 * process: a load takes half the processor time of `openConsole`. Each load has a new document, empty storage,
 * and no route, permission or problem of earlier loads. Callers close the contexts of the browser, not the page.
 */
export function createPageLoader(): (browser: Browser, url: string, path: string) => Promise<ConsolePage> {
  let opened: ConsolePage | undefined;
  return async (browser, url, path) => {
    if (!opened) {
      opened = await openConsole(browser, url, { path });
      return opened;
    }
    await resetPage(opened);
    await opened.page.goto(`${url}/_iam/console/${path}`);
    return opened;
  };
}

async function resetPage({ page, context, problems }: ConsolePage): Promise<void> {
  await page.unrouteAll();
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await context.clearCookies();
  await context.clearPermissions();
  await page.emulateMedia({ colorScheme: initialView.colorScheme });
  await page.setViewportSize({ width: initialView.width, height: viewportHeight });
  // Over a control, the pointer would show its tooltip in the next document.
  await page.mouse.move(0, 0);
  problems.length = 0;
}
