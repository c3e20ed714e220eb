/**
 * One state of each kind of page with the rules of WCAG 2.2 AA. The full run checks every page, dialog and error: the other
 * files of this folder. Charts, the coverage, a secret that is shown once and disabled actions are checked by the tests of these.
 */
import { describe, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { narrow } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { longName, useStates } from './view-states.ts';

const seed: SeedDocument = {
  users: [{ userId: 'ann' }, { userId: 'bob', userName: longName, locked: true }],
  groups: [
    { groupName: 'admins', roles: ['ADMIN'] },
    {
      groupName: longName,
      roles: ['DEPLOY', `V${'ERY_LONG_'.repeat(7)}`],
      dependencies: [{ groupName: 'admins' }],
      users: ['ann', 'bob'],
    },
  ],
};

describe.skipIf(!hasBrowser)('one state of each kind', () => {
  const { open, send, service } = useStates({ seed, isShared: true });

  test('a list of long names, a form with an error, and a list without rows', async () => {
    const { page, check, click } = await open('users');
    await check(/^\d+ in all$/);
    await click('Create a user');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Login name').fill('dora');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('not an address');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await check('Create the user', narrow);
    await (await open('users?search=nothing')).check('No users match');
  });

  test('an object, a confirmation, and an object that does not exist', async () => {
    const { page, check, click } = await open('users/bob');
    await page.getByRole('button', { name: 'Path to DEPLOY' }).click();
    await check(/^is in/, narrow);
    await click('Delete');
    await check('Delete the user');
    await (await open('users/unknown')).check('USER_NOT_FOUND', narrow);
  });

  test('a request and why it was rejected', async () => {
    const client = await service().makeClient({ clientId: `client-${'long-'.repeat(10)}` });
    const headers = { Authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` };
    await send('/security/iam/v1/groups', { method: 'POST', headers, body: { groupName: longName } });
    const { check, click } = await open('requests');
    await click('groups.create');
    await check('The nearest way in', narrow);
  });

  test('a graph, and the way to a role', async () => {
    const { page, check } = await open('groups?view=graph');
    await page.locator('.group-node').first().click();
    await check('Open the group');
    await (await open('groups?view=role&user=bob&role=ADMIN')).check('Yes:', narrow);
  });
});
