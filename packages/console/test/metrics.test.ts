/** The page of metrics in a real browser. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { findStateProblems, findViewProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('metrics', () => {
  const { open, send, service } = useConsole({ isShared: true, server: {} });

  test('say so without requests, then show charts and the same figures as tables', async () => {
    const { page, problems } = await open('metrics');
    await page.getByText('No requests in this time').waitFor();
    expect(await findStateProblems(page)).toEqual([]);
    for (let count = 0; count < 3; count += 1) await service().admin.groups.list();
    await send('/security/iam/v1/groups');
    await page.reload();
    // The login of the client, its three requests, and one without credentials.
    await page.getByText('1 with an error').waitFor();
    // An interval may end between them.
    await page
      .getByRole('img', { name: /^Requests: Succeeded at most [1-4], Errors at most 1/ })
      .locator('path')
      .first()
      .waitFor();
    await page.getByText('Logins as a table').click();
    await page.getByRole('table').filter({ hasText: 'Logins' }).getByRole('cell', { name: '1', exact: true }).waitFor();
    await page.getByText('Durations as a table').click();
    await page
      .getByRole('cell', { name: /^[\d.]+ ms$/ })
      .first()
      .waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are of the last hour with a parameter of the URL', async () => {
    const { page, problems } = await open('metrics');
    await page.getByRole('combobox', { name: 'Time' }).selectOption('The last hour');
    await page.waitForURL('**/metrics?intervals=360');
    await page.reload();
    expect(await page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('360');
    await page.getByRole('img').first().waitFor();
    expect(problems).toEqual([]);
  });
});
