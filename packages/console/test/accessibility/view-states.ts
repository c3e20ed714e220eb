/** Opens pages and checks their states one after another with the rules of WCAG 2.2 AA. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../../test/harness.ts';
import { findViewProblems } from '../axe-violations.ts';
import { closeContexts, openConsole, sharedBrowser } from '../console-page.ts';

export const longName = `${'long-name-'.repeat(9)}<b>`;

interface OpenedStates {
  readonly page: Page;
  /** Waits for a text, then checks the page in both colour schemes and at two widths. */
  check(text: string | RegExp): Promise<void>;
  click(name: string | RegExp): Promise<void>;
}

/** Registers hooks: one browser, and a server for each test. */
export function useStates(seed: SeedDocument) {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  afterAll(() => closeContexts(browser));
  beforeEach(async () => {
    server = await startServer({ seed });
    return () => server[Symbol.asyncDispose]();
  });
  return {
    server: () => server,
    async open(path: string): Promise<OpenedStates> {
      const { page } = await openConsole(browser, server.url, { path });
      return {
        page,
        async check(text) {
          await page.getByText(text).filter({ visible: true }).first().waitFor();
          expect.soft(await findViewProblems(page), String(text)).toEqual([]);
          await page.setViewportSize({ width: 1280, height: 800 });
        },
        click: (name) => page.getByRole('button', { name, exact: true }).first().click(),
      };
    },
  };
}
