/** Dialogs in a real browser: what closes them, what has the focus, and what is said afterwards. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { hasBrowser } from '../harness/browser.ts';
import { copyWith } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const seed = { users: [{ userId: 'ann' }] };

describe.skipIf(!hasBrowser || !isFullRun)('a dialog', () => {
  const { open, service } = useConsole({ seed, isShared: true });

  test('with typed text is not closed by Escape or a click beside it', async () => {
    const { page, dialog, problems } = await open('groups');
    const openForm = () => page.getByRole('button', { name: 'Create a group' }).click();
    await openForm();
    await dialog.locator('input[data-path=groupName]:focus').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await openForm();
    await dialog.getByLabel('Name').fill('typed');
    await page.keyboard.press('Escape');
    await dialog.getByText('Still open').waitFor();
    await page.mouse.click(5, 300);
    expect(await dialog.getByLabel('Name').inputValue()).toBe('typed');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  test('says what it waits for, and what it did, with the object', async () => {
    const { page, dialog, problems } = await open('groups');
    await page.getByRole('button', { name: 'Create a group' }).click();
    const create = dialog.getByRole('button', { name: 'Create', exact: true });
    await dialog.getByText('Fill in the required fields first.').first().waitFor();
    await create.focus();
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Name').fill('made');
    await create.click();
    const toast = page.getByRole('region', { name: 'Notifications' });
    await toast.getByText('The group was created:').waitFor();
    await page.getByRole('heading', { level: 1, name: 'made' }).waitFor();
    await toast.getByRole('link', { name: 'made' }).waitFor();
    await toast.getByRole('button', { name: 'Dismiss' }).click();
    await toast.getByRole('link').waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  test('keeps values that are too long, and shows errors at their fields', async () => {
    const { page, dialog } = await open('groups');
    await page.getByRole('button', { name: 'Create a group' }).click();
    const name = dialog.getByLabel('Name');
    const create = dialog.getByRole('button', { name: 'Create', exact: true });
    await name.fill('x'.repeat(300));
    await create.click();
    await dialog.getByText('must not be longer than 100 characters').waitFor();
    expect(await name.inputValue()).toHaveLength(300);
    await name.fill('administrators');
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'administrators' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Create a group' }).click();
    await name.fill('administrators');
    await create.click();
    await dialog.getByText('already in use').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('other');
    await dialog.getByText('already in use').waitFor({ state: 'hidden' });
  });

  test('with a token is closed by its buttons only, and copies it as a program needs it', async () => {
    const { page, dialog, problems } = await open('users/ann');
    await page.getByRole('button', { name: 'Sign in as' }).click();
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    const copy = dialog.getByRole('button', { name: 'Copy', exact: true });
    const token = await copyWith(copy);
    await page.keyboard.press('Escape');
    await dialog.getByText('Still open: this cannot be shown again').waitFor();
    for (const [format, text] of [
      ['.env', `IAM_BASE_URL=${service().url}\nIAM_TOKEN=${token}`],
      ['curl', `curl -H 'Authorization: Bearer ${token}' ${service().url}/security/iam/v1/groups`],
      ['iam', `IAM_BASE_URL=${service().url} IAM_TOKEN=${token} iam whoami`],
    ] as const) {
      await dialog.getByText(format, { exact: true }).click();
      expect(await dialog.getByLabel('Access token').innerText()).toBe(text);
    }
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });
});
