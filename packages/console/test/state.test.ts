/** Snapshots, changes, export and import in a real browser. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

const seed = { users: [{ userId: 'ann', userName: 'ann' }] };

describe.skipIf(!hasBrowser)('the state', () => {
  const { open, read, send } = useConsole({ seed, isShared: true, server: {} });
  let page: Page;
  let problems: readonly string[];
  beforeEach(async () => {
    await send('/_iam/state/reset', { method: 'POST', body: {} });
    ({ page, problems } = await open('state'));
    await page.getByRole('heading', { name: 'State' }).waitFor();
  });

  const hasUser = async (userId: string) => (await send(`/_iam/users/${userId}`)).status === 200;
  const addUser = (userId: string) =>
    send('/_iam/seed', { method: 'POST', body: { users: [{ userId, userName: userId }] } });

  test('saves, restores and deletes a snapshot', async () => {
    await page.getByLabel('Name of a new snapshot').fill('before');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^before/ }).waitFor();
    expect(await read('/_iam/state/snapshots')).toMatchObject([{ name: 'before' }]);
    await addUser('dora');
    await page.getByRole('button', { name: 'Restore the snapshot before' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await hasUser('dora')).toBe(true);
    await page.getByRole('button', { name: 'Restore the snapshot before' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await hasUser('dora')).toBe(false);
    await page.getByRole('button', { name: 'Delete the snapshot before' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No snapshots').waitFor();
    expect(await read('/_iam/state/snapshots')).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('shows why a snapshot was not saved, and keeps the name', async () => {
    await page.getByLabel('Name of a new snapshot').fill('two words');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('input[aria-invalid="true"]').waitFor();
    expect(await page.getByLabel('Name of a new snapshot').inputValue()).toBe('two words');
  });

  test.runIf(isFullRun)('shows what has changed since the seed', async () => {
    await page.getByText('No object differs.').waitFor();
    await addUser('dora');
    await send('/_iam/state/snapshots', { method: 'POST', body: { name: 'mid', replace: true } });
    await send('/_iam/seed', { method: 'POST', body: { groups: [{ groupName: 'ops', users: ['ann'] }] } });
    await page.getByRole('button', { name: 'Compare again' }).click();
    const objects = page.getByRole('list', { name: 'Objects that differ' }).getByRole('listitem');
    await objects.filter({ hasText: 'created' }).filter({ hasText: 'dora' }).waitFor();
    const group = objects.filter({ hasText: 'ops' });
    await group.getByText(/^[0-9] fields$/).click();
    await group.getByRole('link', { name: 'ann' }).waitFor();
    await page.getByRole('button', { name: 'Groups 1' }).click();
    await expect.poll(() => objects.count()).toBe(1);
    await page.getByRole('combobox', { name: 'From' }).click();
    await page.getByRole('option', { name: 'mid' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('mid');
    await page.getByRole('button', { name: 'All 1' }).waitFor();
    await page.getByRole('button', { name: 'Swap' }).click();
    await objects.filter({ hasText: 'deleted' }).filter({ hasText: 'ops' }).waitFor();
  });

  test('exports the state as a file, and imports it after a confirmation', async () => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export the state' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('state.json');
    const file = await readFile(await download.path(), 'utf8');
    expect(JSON.parse(file)).toHaveProperty('tables');
    await addUser('dora');
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a state' }).click();
    const chooser = await choosing;
    await chooser.setFiles({ name: 'state.json', mimeType: 'application/json', buffer: Buffer.from(file) });
    await page.getByRole('dialog').getByText('state.json').waitFor();
    expect(await hasUser('dora')).toBe(true);
    await page.getByRole('button', { name: 'Replace the state' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await hasUser('dora')).toBe(false);
  });

  test('applies a seed, and shows the errors of one that is not valid', async () => {
    const apply = async (text: string) => {
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Apply a seed' }).click();
      const chooser = await choosing;
      await chooser.setFiles({ name: 'seed.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    };
    await apply(JSON.stringify({ users: [{ userName: 5 }] }));
    await page.getByRole('alert').waitFor();
    await apply(JSON.stringify({ users: [{ userId: 'eve', userName: 'eve' }] }));
    await page.getByText('users: 1 created').waitFor();
    expect(await hasUser('eve')).toBe(true);
  });
});
