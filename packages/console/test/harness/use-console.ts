/** What nearly every test of the console uses: a service with this seed, and its console in a page. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished, type TestContext } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServerOptions } from '../../../../test/harness.ts';
import { send } from '../../../../test/server/control/control-client.ts';
import { acquirePage, initialView, releasePage } from './browser.ts';
import { type ConsolePage, loadConsole, navigate, shrinkPages, visitConsole } from './console-page.ts';
import { type ConsoleService, checkServer, openSandbox } from './sandbox.ts';

export interface UseConsoleOptions {
  readonly seed?: SeedDocument;
  /** The tests only read, or each has objects of its own: they share one sandbox, and one document. */
  readonly isShared?: boolean;
  /** A server of its own for the file, in place of a sandbox for each test. */
  readonly server?: TestServerOptions;
}

interface OpenOptions {
  readonly width?: number;
  /** Loads the address again, also if the page has the console open. */
  readonly isReloaded?: boolean;
}

export interface ConsoleFixture {
  /** The sandbox or server of the running test. */
  service(): ConsoleService;
  /** Sends a request to it. */
  send(path: string, options?: Parameters<typeof send>[2]): ReturnType<typeof send>;
  /** The body of a response of its control plane. */
  read(path: string): Promise<unknown>;
  /** A command as pages show it: of a sandbox, with its address. */
  command(text: string): string;
  /** @param path below the console: `inbox?to=...` */
  open(path?: string, options?: OpenOptions): Promise<ConsolePage>;
  /** Opens a list that reads small pages: see `shrinkPages`. */
  openList(path: string): Promise<ConsolePage>;
}

/** Registers the hooks of a suite. */
export function useConsole({ seed, isShared = false, server }: UseConsoleOptions = {}): ConsoleFixture {
  let service: ConsoleService;
  /** Of the running test, or of all tests of the file. */
  let page: Page | undefined;

  const begin = async () => {
    if (!server) {
      service = await openSandbox(seed);
      return undefined;
    }
    const own = await startServer({ ...(seed === undefined ? {} : { seed }), ...server });
    service = own;
    return () => own[Symbol.asyncDispose]();
  };
  if (isShared || server) beforeAll(begin);
  else beforeEach(begin);
  afterAll(async () => {
    if (page) await releasePage(page);
    page = undefined;
    await checkServer();
  });

  async function open(path = '', { width, isReloaded = false }: OpenOptions = {}): Promise<ConsolePage> {
    onTestFinished(leave);
    if (page && !isReloaded) return await visitConsole(page, service.url, path);
    page ??= await acquirePage();
    if (width !== undefined) await page.setViewportSize({ ...initialView.viewport, width });
    return await loadConsole(page, service.url, path);
  }

  /** A test that has failed may still use its page. */
  async function leave({ task }: TestContext): Promise<void> {
    const hasPassed = task.result?.state === 'pass';
    if (hasPassed && isShared) return await page?.unrouteAll();
    if (page) await (hasPassed ? releasePage(page) : page.context().close());
    page = undefined;
  }

  const sendTo: ConsoleFixture['send'] = (path, options) => send(service, path, options);
  return {
    service: () => service,
    send: sendTo,
    read: async (path) => (await sendTo(path)).body,
    command: (text) => (server ? `iam ${text}` : `iam --base-url ${service.url} ${text}`),
    open,
    async openList(path) {
      // In another document: this one may have read the list in large pages.
      const opened = await open('left', { isReloaded: true });
      await shrinkPages(opened.page);
      await navigate(opened.page, `${service.url}/_iam/console/${path}`);
      return opened;
    },
  };
}
