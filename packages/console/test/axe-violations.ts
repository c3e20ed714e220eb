/** Checks the open page against the rules of WCAG 2.2 AA. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

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

/** By how many pixels the page is wider than the window. */
async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));
}

/** Each width and each colour scheme once: the colours do not depend on the width. */
const views = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
] as const;

/** Checks what the page shows in both colour schemes and at two widths: violations, and what is wider than the window. */
export async function findViewProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width } of views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await finishAnimations(page);
    const overflow = await overflowOf(page);
    const wide = overflow > 0 ? [`${overflow} pixels wider than the window`] : [];
    found.push(...[...(await violationsOf(page)), ...wide].map((text) => `${colorScheme}, ${width} pixels: ${text}`));
  }
  return found;
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
