/** Opens pages and checks their states one after another with the rules of WCAG 2.2 AA. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findViewProblems, type View } from '../harness/axe-violations.ts';
import { type UseConsoleOptions, useConsole } from '../harness/use-console.ts';

export const longName = `${'long-name-'.repeat(9)}<b>`;

interface OpenedStates {
  readonly page: Page;
  /** Waits for a text, then checks the page: see `findViewProblems`. */
  check(text: string | RegExp, only?: View): Promise<void>;
  click(name: string | RegExp): Promise<void>;
}

/** Registers the hooks of `useConsole`. */
export function useStates(options: UseConsoleOptions) {
  const { open, ...fixture } = useConsole(options);
  return {
    ...fixture,
    async open(path: string): Promise<OpenedStates> {
      const { page } = await open(path);
      return {
        page,
        async check(text, only) {
          await page.getByText(text).filter({ visible: true }).first().waitFor();
          expect.soft(await findViewProblems(page, only), String(text)).toEqual([]);
        },
        click: (name) => page.getByRole('button', { name, exact: true }).first().click(),
      };
    },
  };
}
