/** The states of the users and of one user with the rules of WCAG 2.2 AA. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { hasBrowser } from '../harness/browser.ts';
import { longName, useStates } from './view-states.ts';

const seed: SeedDocument = {
  users: [
    { userId: 'ann', userName: 'ann' },
    { userId: 'bob', userName: longName, locked: true },
  ],
  groups: [{ groupName: longName, roles: ['DEPLOY', `V${'ERY_LONG_'.repeat(7)}`], users: ['ann', 'bob'] }],
};

describe.runIf(hasBrowser && isFullRun)('all states', () => {
  const { open, send, service } = useStates({ seed });
  const signIn = (userId: string) => send('/_iam/sessions', { method: 'POST', body: { userId } });

  test('of the list', async () => {
    const { page, check, click } = await open('users');
    await check(/^\d+ in all$/);
    const cut = await page.evaluate(`[...document.querySelectorAll('.rows td[data-phone="name"] .subject-name')]
      .filter((name) => name.scrollWidth > name.clientWidth)
      .map((name) => getComputedStyle(name).textOverflow)`);
    expect(cut).toEqual(['ellipsis']);
    await click('Create a user');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Login name').fill('dora');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('not an address');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await check('Create the user');
    await page.goto(`${service().url}/_iam/console/users?search=nothing`);
    await check('No users match');
  });

  test('of a locked user with a long name', async () => {
    const { page, check, click } = await open('users/bob');
    await page.getByRole('button', { name: 'Path to DEPLOY' }).click();
    await check(/^is in/);
    await click('Unlock');
    await check('Unlock the user');
    await page.goto(`${service().url}/_iam/console/users/unknown`);
    await check('USER_NOT_FOUND');
  });

  test('of the dialogs of a user', async () => {
    await signIn('ann');
    const { page, check, click } = await open('users/ann');
    const dialogs: readonly (readonly [button: string | RegExp, text: string | RegExp])[] = [
      ['Edit', 'Save'],
      ['Set password', 'Set the password'],
      ['Lock', 'Lock the user'],
      ['Delete', 'Delete the user'],
      ['Add to a group', 'Group'],
      [/^Remove from long-name/, 'Remove'],
    ];
    for (const [button, text] of dialogs) {
      await click(button);
      await page.getByRole('dialog').waitFor();
      await check(text);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await page.goto(`${service().url}/_iam/console/users/ann?tab=sessions`);
    await click('End all sessions');
    await check('End the sessions');
  });

  test('of signing in as a user', async () => {
    const { page, check, click } = await open('users/ann');
    await click('Sign in as');
    await check('Level');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
    await check('.env');
  });
});
