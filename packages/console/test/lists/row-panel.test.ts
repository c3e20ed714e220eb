/** The open row beside a list: keys, the URL, and where the focus is. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { useConsole } from '../harness/use-console.ts';

const groups = '/security/iam/v1/groups';

describe.skipIf(!hasBrowser || !isFullRun)('a row beside its list', () => {
  const { open, read, send } = useConsole();

  /** Sends requests, the last of which is the first row. @returns their ids, newest first */
  async function sendRequests(count: number): Promise<readonly string[]> {
    for (let at = 0; at < count; at += 1) await send(`${groups}/group-${at}`);
    return ((await read('/_iam/requests')) as { id: string }[]).map(({ id }) => id);
  }
  const openId = (page: Page) => new URL(page.url()).pathname.split('/requests/')[1];
  const panelOf = (page: Page) => page.getByRole('region', { name: 'Request', exact: true });
  const focusedRow = (page: Page) =>
    page.evaluate(`document.activeElement.closest('tbody tr')?.getAttribute('aria-rowindex') ?? null`);

  test('follows j and k, and closes with Escape to its row', async () => {
    const ids = await sendRequests(60);
    const { page, problems } = await open('requests?error=CREDENTIALS_MISSING');
    await page.getByText('60 match').waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focusedRow(page)).toBe('2');
    await page.keyboard.press('j');
    await expect.poll(() => focusedRow(page)).toBe('3');
    await page.keyboard.press('Enter');
    await panelOf(page).waitFor();
    expect(openId(page)).toBe(ids[1]);
    for (const _ of Array.from({ length: 40 })) await page.keyboard.press('j');
    await expect.poll(() => openId(page)).toBe(ids[41]);
    const current = page.locator('tr[aria-current=true]');
    await expect.poll(() => current.getAttribute('aria-rowindex')).toBe('43');
    await page.keyboard.press('k');
    await expect.poll(() => openId(page)).toBe(ids[40]);
    await panelOf(page)
      .getByText(ids[40] ?? '')
      .first()
      .waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panelOf(page).waitFor({ state: 'hidden' });
    await expect.poll(() => focusedRow(page)).toBe('42');
    expect(new URL(page.url()).search).toBe('?error=CREDENTIALS_MISSING');
    expect(problems).toEqual([]);
  });

  test('closes with the back button, however many rows were opened', async () => {
    const ids = await sendRequests(3);
    const { page, problems } = await open('requests');
    await page.getByRole('button', { name: 'groups.get' }).first().click();
    await panelOf(page).getByRole('button', { name: 'Next row' }).click();
    await expect.poll(() => openId(page)).toBe(ids[1]);
    await send(`${groups}/another`);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.goBack();
    await panelOf(page).waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('location.pathname.endsWith("/requests")')).toBe(true);
    await expect.poll(() => focusedRow(page)).toMatch(/[34]/);
    expect(problems).toEqual([]);
  });

  test('keeps keys of fields, dialogs and pages apart', async () => {
    const ids = await sendRequests(2);
    const { page } = await open(`requests/${ids[0]}`);
    await panelOf(page).waitFor();
    await page.getByRole('searchbox', { name: 'Caller' }).press('j');
    await page.getByRole('button', { name: 'Pause' }).press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next row').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(openId(page)).toBe(ids[0]);
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  });

  test('is above the list on a phone', async () => {
    const [id] = await sendRequests(1);
    const { page } = await open(`requests/${id}`, { width: 390 });
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(openId(page)).toBeUndefined();
  });
});
