/** The browser of a test process, and its pages, which all files share. */
import process from 'node:process';
import { type Browser, chromium, type Page } from 'playwright-core';
import { requestResource } from '../../../../test/resources/request.ts';

const found = await requestResource('chromium');

/** Whether a browser is available; the reason was printed if not. */
export const hasBrowser = found !== undefined;

/** The name of another site, which the browser resolves to this machine. */
export const otherHost = 'other.example';

function launchBrowser(): Promise<Browser> {
  if (!found) throw new Error('no Chromium');
  // The arguments that the package recommends would switch web security off.
  return chromium.launch({
    executablePath: found.program,
    env: { ...process.env, ...found.env } as Record<string, string>,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      `--host-resolver-rules=MAP ${otherHost} 127.0.0.1`,
    ],
  });
}

let shared: Promise<Browser> | undefined;

const maxIdleTime = 30_000;
let idleTimer: NodeJS.Timeout | undefined;

/** Returns the browser of this process: a launch takes 0.65 s of processor time. */
export function sharedBrowser(): Promise<Browser> {
  postponeEnd();
  shared ??= launchBrowser();
  return shared;
}

/** After the last test of the console, idle pages would take processor time until the end of the run. */
function postponeEnd(): void {
  clearTimeout(idleTimer);
  idleTimer = setTimeout(endIfIdle, maxIdleTime).unref();
}

async function endIfIdle(): Promise<void> {
  const browser = await shared;
  if (!browser || idle.length === 0 || browser.contexts().length > idle.length) return postponeEnd();
  shared = undefined;
  idle.length = 0;
  await browser.close();
}

/** Below the time limit of a test, so that its failure names the action of the browser and what it waited for. */
const actionTimeout = 15_000;

export const initialView = { colorScheme: 'light', viewport: { width: 1280, height: 800 } } as const;

const observed = ['pageerror', 'console', 'request', 'response', 'framenavigated'];

/** Pages of tests that have passed. Each still reads the service of its test. */
const idle: Page[] = [];
const maxIdle = 2;

/**
 * Returns a page that no running test uses. Tests get the pages of earlier ones: a page keeps its renderer process and the
 * compiled scripts of the console, so that a load takes less than half the processor time of one in a new context.
 */
export async function acquirePage(): Promise<Page> {
  for (let page = idle.pop(); page; page = idle.pop()) if (!page.isClosed()) return page;
  const browser = await sharedBrowser();
  const context = await browser.newContext({ ...initialView, ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  context.setDefaultTimeout(actionTimeout);
  return await context.newPage();
}

/** Leaves a page to later tests, with empty storage, and without routes, permissions and listeners of this one. */
export async function releasePage(page: Page): Promise<void> {
  postponeEnd();
  if (idle.length < maxIdle && (await clearPage(page))) idle.push(page);
  else await page.context().close();
}

/** Returns false if the test has closed the page, or left it at a document without an origin. */
async function clearPage(page: Page): Promise<boolean> {
  const context = page.context();
  for (const event of observed) page.removeAllListeners(event);
  try {
    await page.unrouteAll();
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  } catch {
    return false;
  }
  await context.clearCookies();
  await context.clearPermissions();
  await page.emulateMedia({ colorScheme: initialView.colorScheme });
  if (page.viewportSize()?.width !== initialView.viewport.width) await page.setViewportSize(initialView.viewport);
  // Over a control, the pointer would show its tooltip in the next document.
  await page.mouse.move(0, 0);
  return true;
}

/** Errors in the browser's console, violations of the Content Security Policy, and requests to other hosts, from now on. */
export function recordProblems(page: Page, host: string): string[] {
  const problems: string[] = [];
  for (const event of observed) page.removeAllListeners(event);
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
