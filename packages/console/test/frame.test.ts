/** What all pages share: the top bar, the menu, keyboard shortcuts, errors, and a server that goes away. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { findViewProblems, findWidthOverflow, narrow } from './harness/axe-violations.ts';
import { hasBrowser, initialView } from './harness/browser.ts';
import { openByKeys, openClock, openReset } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('the frame of the console', () => {
  const { open, read, send, service } = useConsole({ server: {} });
  let page: Page;
  let problems: readonly string[];
  beforeEach(async () => {
    await send('/_iam/clock', { method: 'PUT', body: { reset: true } });
    ({ page, problems } = await open());
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  const readClock = async () => (await read('/_iam/clock')) as { frozen: boolean; offset: number };

  test('freezes the clock, lets it run and advances it', async () => {
    await openClock(page);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('button', { name: 'Let it run' }).waitFor();
    expect(await readClock()).toMatchObject({ frozen: true });
    await page.getByRole('button', { name: 'Let it run' }).click();
    await page.getByRole('button', { name: 'Freeze' }).waitFor();
    expect(await readClock()).toMatchObject({ frozen: false });
    const before = (await readClock()).offset;
    await page.getByLabel('Advance by').fill('2h');
    await page.getByRole('button', { name: 'Advance' }).click();
    await expect.poll(async () => Math.round(((await readClock()).offset - before) / 60)).toBe(120);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('shows why the clock was not changed, and keeps what was typed', async () => {
    await openClock(page);
    await page.getByLabel('Advance by').fill('soon');
    await page.getByRole('button', { name: 'Advance' }).click();
    await page.getByRole('alert').getByText('FIELD').first().waitFor();
    expect(await page.getByLabel('Advance by').inputValue()).toBe('soon');
  });

  test('resets the state only after a confirmation', async () => {
    await send('/_iam/faults', {
      method: 'POST',
      body: { operation: 'groups.get', effect: { status: 503 } },
    });
    const faults = () => read('/_iam/faults');
    await openReset(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await faults()).toHaveLength(1);
    await openReset(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await faults()).toEqual([]);
  });

  test('switches faults off', async () => {
    await send('/_iam/faults', { method: 'POST', body: { operation: 'groups.get', effect: { status: 503 } } });
    await page.reload();
    await page.getByRole('button', { name: '1 fault' }).click();
    await page.getByRole('dialog').getByText('503 · applied 0 times').waitFor();
    await page.getByRole('button', { name: 'Remove the fault of groups.get' }).click();
    await page.getByRole('button', { name: '1 fault' }).waitFor({ state: 'hidden' });
    expect(await read('/_iam/faults')).toEqual([]);
  });

  async function chooseDeletion(sandbox: string): Promise<void> {
    await page.getByRole('button', { name: `Sandbox ${sandbox}` }).click();
    await page.getByRole('menuitem', { name: sandbox, exact: true }).waitFor();
    await page.getByRole('menuitem', { name: 'Delete this sandbox' }).click();
  }

  test('creates a sandbox, switches to it and deletes it', async () => {
    await page.getByRole('button', { name: new URL(service().url).host }).click();
    // The sandboxes that are read when a menu opens move its other items down.
    await page.getByText('none', { exact: true }).waitFor();
    await page.getByRole('menuitem', { name: 'Create a sandbox' }).click();
    await page.getByLabel('Name').fill('checkout');
    await page.getByRole('button', { name: 'Create and open' }).click();
    await page.waitForURL('**/s/checkout/_iam/console/overview');
    await chooseDeletion('checkout');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/_iam/console/overview');
    expect(await read('/_iam/sandboxes')).toEqual([]);
  });

  test.runIf(isFullRun)('leaves a deleted sandbox deleted, whatever the page reads until it is left', async () => {
    await page.clock.install();
    await page.goto(`${service().url}/s/deleted/_iam/console/metrics`);
    await chooseDeletion('deleted');
    await page.route('**/_iam/sandboxes/deleted', async (route) => {
      const response = await route.fetch();
      await page.clock.fastForward('02:00');
      // A request that the page sent by now is processed before this one.
      await page.evaluate("fetch('/healthz')");
      await route.fulfill({ response });
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL((url) => url.pathname === '/_iam/console/overview');
    expect(await read('/_iam/sandboxes')).toEqual([]);
    // The clock of the page stays replaced.
    await page.close();
  });

  test.runIf(isFullRun)('opens no other page by keys in a dialog', async () => {
    await openReset(page);
    await page.getByRole('button', { name: 'Cancel' }).press('g');
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/_iam/console/overview');
  });

  test('focuses the search with a slash and opens a page with two keys', async () => {
    await openByKeys(page, 'u', 'Users');
    await page.keyboard.press('/');
    await expect.poll(() => page.evaluate('document.activeElement?.hasAttribute("data-search")')).toBe(true);
    await page.keyboard.press('Escape');
    await page.goto(`${service().url}/_iam/console/nosuch`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await openByKeys(page, 'i', 'Inbox');
  });

  test('has one row on a phone, whatever is in force', async () => {
    const sandbox = `/s/${'long-name-'.repeat(5)}box`;
    const fault = { operation: 'groups.get', effect: { status: 503 } };
    await send(`${sandbox}/_iam/faults`, { method: 'POST', body: fault });
    await send(`${sandbox}/_iam/clock`, { method: 'PUT', body: { advance: '2h', freeze: true } });
    await page.goto(`${service().url}${sandbox}/_iam/console/overview`);
    await page.getByRole('button', { name: '1 fault' }).waitFor();
    await page.getByRole('button', { name: / UTC frozen$/ }).waitFor();
    expect(await findWidthOverflow(page, [narrow.width])).toEqual([]);
    const bar = 'document.querySelector("header")';
    expect(await page.evaluate(`[${bar}.scrollHeight <= 48, ${bar}.scrollWidth <= ${bar}.clientWidth]`)).toEqual([
      true,
      true,
    ]);
    await page.setViewportSize(initialView.viewport);
  });

  test('finds objects and actions, and opens a pasted token, from every page', async () => {
    await send('/_iam/users', { method: 'POST', body: { userName: 'paula' } });
    const search = page.getByRole('combobox', { name: 'Search' });
    await page.keyboard.press('Control+k');
    await search.fill('paula');
    await page.getByRole('option', { name: /^paula/ }).waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'paula' }).waitFor();
    await page.keyboard.press('Control+k');
    await search.fill('Authorization: Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.');
    await page.keyboard.press('Enter');
    await page.getByText('The server rejects this token').waitFor();
    expect(page.url()).not.toContain('eyJ');
    await page.getByRole('heading', { name: 'Tokens' }).press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('uses the dark colours after a click and after a reload', async () => {
    await page.getByRole('button', { name: 'Use the dark colors' }).click();
    await page.getByRole('button', { name: 'Use the light colors' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Use the light colors' }).waitFor();
    const stored = await page.evaluate('JSON.stringify(Object.entries(localStorage))');
    expect(JSON.parse(String(stored))).toEqual([['mantine-color-scheme-value', 'dark']]);
  });
});

describe.skipIf(!hasBrowser)('while the server is down', () => {
  const { open } = useConsole();

  test('the page says so, keeps what was typed and connects again', async () => {
    const { page } = await open('inbox');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.route('**/_iam/**', (route) => route.abort('connectionrefused'));
    await page.getByLabel('Address or number').fill('alice@example.com');
    await page.getByText('The server does not respond').first().waitFor();
    await page.unroute('**/_iam/**');
    await page.getByText('No messages match').waitFor();
    expect(await page.getByLabel('Address or number').inputValue()).toBe('alice@example.com');
  });
});
