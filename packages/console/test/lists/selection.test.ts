/** Selected rows and what is done with them, in a real browser. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { chooseFound } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const names = ['alice', 'bob', 'carl', 'dave', 'erin', 'fay'];

describe.skipIf(!hasBrowser)('selected rows', () => {
  const { command, open, read, send } = useConsole({
    seed: {
      users: names.map((userId) => ({ userId })),
      groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['alice'] }, { groupName: 'dev' }],
      clients: ['billing', 'shop'].map((clientId) => ({ clientId, clientSecret: 'only-for-tests', appId: clientId })),
      apiKeys: [
        {
          apiKeyId: 'exports-key',
          appId: 'exports',
          clientId: 'shop',
          apiKey: Buffer.alloc(32, 'a').toString('base64'),
        },
      ],
      corporateGroups: [{ corporateGroupId: 'holding', corporateGroupName: 'Holding' }],
    },
  });

  const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = (page: Page) => page.getByRole('group', { name: 'Selected users' });
  const isLocked = async (id: string) => ((await read(`/_iam/users/${id}`)) as { locked: boolean }).locked;

  test('are locked; the one that failed stays selected, with its error', async () => {
    const { page, dialog, problems } = await open('users');
    await box(page, 'bob').check();
    await box(page, 'dave').click({ modifiers: ['Shift'] });
    await bar(page).getByText('3 selected').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await bar(page).getByRole('button', { name: 'Lock', exact: true }).click();
    await dialog.getByText('bob, carl, dave.').waitFor();
    await dialog.getByLabel('Reason').fill('audit');
    await dialog.getByText('The same from a terminal').click();
    await dialog.getByText(command('users lock --reason audit --yes bob carl dave'), { exact: true }).waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await send('/_iam/faults', {
      method: 'POST',
      body: { operation: 'user-identities.lock', nth: 2, effect: { status: 409 } },
    });
    await dialog.getByRole('button', { name: 'Lock 3 users' }).click();
    await dialog.getByText('1 user was not locked').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByText('2 users were locked. 1 failed.').waitFor();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 user was locked.').waitFor();
    await bar(page).waitFor({ state: 'hidden' });
    expect(await Promise.all(['bob', 'carl', 'dave', 'erin'].map(isLocked))).toEqual([true, true, true, false]);
    // The bar is gone: the focus is on the list.
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Users');
    expect(problems.filter((problem) => !/status of 409/.test(problem))).toEqual([]);
  });

  test('are selected by keys, and no longer with another filter', async () => {
    const { page } = await open('users');
    await box(page, 'alice').waitFor();
    for (const index of ['2', '3']) {
      await page.keyboard.press('j');
      // The focus follows when the row is in the page.
      await page.locator(`tr[aria-rowindex="${index}"]:focus-within`).waitFor();
    }
    await page.keyboard.press('x');
    await bar(page).getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: /^Select all 7 rows/ }).check();
    await bar(page).getByText('7 selected').waitFor();
    await page.getByRole('button', { name: /^User/ }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=userName');
    await bar(page).getByText('7 selected').waitFor();
    await page.getByRole('searchbox').fill('fay');
    await bar(page).waitFor({ state: 'hidden' });
    await box(page, 'fay').check();
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 user' }).click();
    await page.getByText('1 user was deleted.').waitFor();
    expect((await send('/_iam/users/fay')).status).toBe(404);
  });

  test('are added to a group that is chosen once', async () => {
    const { page, dialog } = await open('users');
    await box(page, 'bob').check();
    await box(page, 'carl').check();
    await bar(page).getByRole('button', { name: 'Add to a group' }).click();
    const confirm = dialog.getByRole('button', { name: 'Add 2 users to a group' });
    await confirm.and(page.locator('[aria-disabled=true]')).waitFor();
    await chooseFound(dialog.getByRole('combobox', { name: 'Group' }), 'ops', /^ops/);
    await confirm.click();
    await page.getByText('2 users were added to the group.').waitFor();
    const members = (await read('/_iam/groups/ops/members')) as { userId: string }[];
    expect(members.map(({ userId }) => userId).toSorted()).toEqual(['alice', 'bob', 'carl']);
  });

  test.each([
    ['groups', 'dev', 'Delete', 'Delete 1 group', '/_iam/groups/dev'],
    ['groups/ops', 'alice', 'Remove', 'Remove 1 member', '/_iam/groups/ops/members'],
    ['clients', 'billing', 'Delete', 'Delete 1 client', '/_iam/clients/billing'],
    ['api-keys', 'exports, ends with .*', 'Delete', 'Delete 1 API key', '/_iam/api-keys/exports-key'],
    ['corporate-groups', 'Holding', 'Delete', 'Delete 1 corporate group', '/_iam/corporate-groups/holding'],
    ['sessions', '.* of fay', 'End', 'End 1 session', '/_iam/sessions?userId=fay'],
    ['faults', '.* of groups.get', 'Remove', 'Remove 1 fault', '/_iam/faults'],
  ])('%s has them, with an action', async (path, name, action, confirmation, address) => {
    await send('/_iam/sessions', { method: 'POST', body: { userId: 'fay' } });
    await send('/_iam/faults', { method: 'POST', body: { operation: 'groups.get', effect: { latency: '1ms' } } });
    const { page, dialog, problems } = await open(path);
    await page.getByRole('checkbox', { name: new RegExp(`^Select ${name}$`) }).check();
    expect(await findViewProblems(page)).toEqual([]);
    const selected = page.getByRole('group', { name: /^Selected / });
    await selected.getByRole('button', { name: action, exact: true }).click();
    await dialog.getByRole('button', { name: confirmation }).click();
    await dialog.waitFor({ state: 'hidden' });
    await selected.waitFor({ state: 'hidden' });
    const { status, body } = await send(address);
    expect(status === 404 ? [] : body).toEqual([]);
    expect(problems).toEqual([]);
  });
});
