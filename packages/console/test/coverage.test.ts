/** The page of contract coverage in a real browser. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { findStateProblems, findViewProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('coverage', () => {
  const { open, read, send, service } = useConsole();

  test('shows counts by operation and status, and leads to the requests', async () => {
    await service().admin.groups.list();
    await send('/security/iam/v1/groups/none');
    const { page, problems } = await open('coverage');
    const table = page.getByRole('region', { name: 'Statuses by operation' });
    const { items } = (await read('/_iam/coverage')) as { items: { operation: string }[] };
    await table.getByRole('rowheader').first().waitFor();
    expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(items.map(({ operation }) => operation));
    expect(await page.locator('.figures').innerText()).toContain(`3 of ${items.length}, `);
    expect(await findStateProblems(page)).toEqual([]);
    await page.getByLabel('Operation', { exact: true }).fill('groups.');
    await page.waitForURL('**/coverage?search=groups.');
    await expect.poll(() => table.getByRole('rowheader').count()).toBeLessThan(items.length);
    await table
      .getByRole('row', { name: /^groups\.get/ })
      .locator('summary')
      .click();
    await table.getByText('GROUP_NOT_FOUND').first().waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await table.getByRole('link', { name: 'groups.get, status 401: 1' }).click();
    await page.waitForURL('**/requests?operation=groups.get&status=401');
    await page.getByText('1 match').waitFor();
    await page.goBack();
    await page.waitForURL('**/coverage?search=groups.');
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('hides what is complete, and says so if nothing matches', async () => {
    const { page } = await open('coverage?search=nosuch');
    await page.getByText('No operations match').waitFor();
    await page.getByLabel('Only operations with missing').check();
    await page.waitForURL('**/coverage?search=nosuch&missing=yes');
    await page.getByLabel('Operation', { exact: true }).fill('groups.list');
    await page.getByRole('rowheader', { name: 'groups.list', exact: true }).waitFor();
  });

  test.runIf(isFullRun)('is reset after a confirmation', async () => {
    await service().admin.groups.list();
    const { page, problems } = await open('coverage');
    const exercised = async () =>
      ((await read('/_iam/coverage')) as { operations: { exercised: number } }).operations.exercised;
    const openDialog = () => page.getByRole('main').getByRole('button', { name: 'Reset the counters' }).click();
    await openDialog();
    expect(await findStateProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await exercised()).toBeGreaterThan(0);
    await openDialog();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the counters' }).click();
    await page
      .getByText(/^0 of \d+, 0 %/)
      .first()
      .waitFor();
    expect(await exercised()).toBe(0);
    expect(problems).toEqual([]);
  });
});
