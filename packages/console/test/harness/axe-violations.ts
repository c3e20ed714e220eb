/** Checks the open page against the rules of WCAG 2.2 AA. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { isFullRun } from '../../../../test/effort.ts';
import { initialView } from './browser.ts';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

type AxeViolations = readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];

/** Returns the violations, with the elements of each. */
async function violationsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the Content Security Policy of the page does not restrict.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource);
  const runOnly = { type: 'tag', values: standards };
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], selectors: false });
  // Only these: the passed elements would be 80 kB.
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as AxeViolations;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** What is wider than its place: the page, the bar, lists and open rows. */
async function overflowsOf(page: Page): Promise<string[]> {
  return (await page.evaluate(`['html', '.bar', '.filters', '.rows', '.split-panel'].flatMap((selector) =>
    [...document.querySelectorAll(selector)]
      .filter((element) => element.scrollWidth > element.clientWidth && element.clientWidth > 0)
      .map(({ scrollWidth, clientWidth }) => selector + ' is ' + (scrollWidth - clientWidth) + ' pixels too wide'),
  )`)) as string[];
}

export interface View {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

const wide: View = { colorScheme: 'light', width: 1280 };
export const narrow: View = { colorScheme: 'dark', width: 390 };

const allViews: readonly View[] = [wide, { ...wide, colorScheme: 'dark' }, narrow, { ...narrow, colorScheme: 'light' }];

/**
 * Checks what the page shows: violations, and what is wider than the window. Then the page is as before.
 * @param only a full run has both widths in both colour schemes
 */
export async function findViewProblems(page: Page, only: View = wide): Promise<string[]> {
  const found: string[] = [];
  for (const view of isFullRun ? allViews : [only]) {
    await showView(page, view);
    found.push(
      ...(await violationsOf(page)).map((text) => describeProblem(view, text)),
      ...(await findOverflow(page, view)),
    );
  }
  await page.emulateMedia({ colorScheme: initialView.colorScheme });
  await page.setViewportSize(initialView.viewport);
  return found;
}

/** Returns what is wider than its place in windows of these widths, the last of which the page then has. */
export async function findWidthOverflow(page: Page, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await showView(page, { ...narrow, width });
    found.push(...(await findOverflow(page, { ...narrow, width })));
  }
  return found;
}

async function showView(page: Page, { colorScheme, width }: View): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ ...initialView.viewport, width });
  await finishAnimations(page);
}

async function findOverflow(page: Page, view: View): Promise<string[]> {
  return (await overflowsOf(page)).map((text) => describeProblem(view, text));
}

function describeProblem({ colorScheme, width }: View, text: string): string {
  return `${colorScheme}, ${width} pixels: ${text}`;
}

/** Ends what fades in or out: until then colours differ. */
async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const animation of document.getAnimations()) {
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
    }
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  })))`);
}

/**
 * In a full run, `findViewProblems`; otherwise nothing: `npm test` checks one state of each kind of page, most of them in
 * accessibility/kinds.test.ts.
 */
export async function findStateProblems(page: Page): Promise<string[]> {
  return isFullRun ? await findViewProblems(page) : [];
}
