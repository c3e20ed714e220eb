/** Writes on the page of a user in a real browser, each with its effect on the server. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { appClientId } from '../../../test/harness.ts';
import { findViewProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { chooseFound, copyWith } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

describe.skipIf(!hasBrowser)('a user', () => {
  const { command, open, read, send } = useConsole({
    // Each test changes users of its own.
    isShared: true,
    seed: {
      users: [
        ...['alice', 'bob', 'carl', 'dave', 'erin', 'fay', 'gil'].map((userId) => ({ userId })),
        { userId: 'hal', userEmail: 'hal@example.com' },
      ],
      businesses: [{ businessId: 'acme', businessName: 'Acme' }],
      groups: [{ groupName: 'ops', users: ['carl'] }],
    },
  });

  const readUser = (id: string) => read(`/_iam/users/${id}`);

  test('is locked with a reason, and unlocked', async () => {
    const { page, dialog, problems } = await open('users/alice');
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await dialog.getByLabel('Reason').fill('<b>Lost phone');
    await dialog.getByRole('button', { name: 'Lock the user' }).click();
    await page.getByRole('alert').getByText('<b>Lost phone').waitFor();
    expect(await readUser('alice')).toMatchObject({ locked: true, lockReason: '<b>Lost phone' });
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await dialog.getByRole('button', { name: 'Unlock the user' }).click();
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
    expect(await readUser('alice')).toMatchObject({ locked: false });
    expect(problems).toEqual([]);
  });

  test('is deleted after a confirmation', async () => {
    const { page, dialog, problems } = await open('users/carl');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('Groups: ops').waitFor();
    await dialog.getByText('Active sessions: none').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await readUser('carl')).toMatchObject({ userId: 'carl' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete the user' }).click();
    await page.getByRole('button', { name: 'bob' }).waitFor();
    expect((await send('/_iam/users/carl')).status).toBe(404);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('gets another contact, which is removed', async () => {
    const { page, dialog, problems } = await open('users/hal');
    const contacts = page.getByRole('region', { name: 'Contacts and factors' });
    await page.getByRole('button', { name: 'Add a contact' }).click();
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('not an address');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.locator('input[aria-invalid=true]:focus[data-path=email]').waitFor();
    expect((await findViewProblems(page)).concat(problems.filter((problem) => !/status of 4/.test(problem)))).toEqual(
      [],
    );
    await dialog.getByLabel('Type').selectOption('Mobile number');
    await dialog.getByRole('textbox', { name: 'Mobile number' }).fill('1 212 5550177');
    await dialog.getByRole('combobox', { name: 'Tags' }).fill('home');
    await page.keyboard.press('Enter');
    await dialog.getByText('The same from a terminal').click();
    const options = '--mobile.region-code 1 --mobile.area-code 212 --mobile.phone-number 5550177 --tag=home';
    await dialog
      .getByText(command(`users factors add --contact-type=MOBILE ${options} hal`), { exact: true })
      .waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await contacts.getByText('home').waitFor();
    expect(await readUser('hal')).toMatchObject({
      contacts: [{ contactType: 'MOBILE', verified: true, credential: false, tags: ['home'] }, { id: 'main-email' }],
    });
    await contacts.getByRole('button', { name: /^Remove/ }).click();
    await dialog.getByRole('button', { name: 'Remove the contact' }).click();
    await contacts.getByText('home').waitFor({ state: 'hidden' });
    expect(await readUser('hal')).toMatchObject({ contacts: [{ id: 'main-email' }] });
    expect(await findViewProblems(page)).toEqual([]);
  });

  test.runIf(isFullRun)('loses all its sessions', async () => {
    await send('/_iam/sessions', { method: 'POST', body: { userId: 'dave' } });
    await send('/_iam/sessions', { method: 'POST', body: { userId: 'bob' } });
    const { page, dialog, problems } = await open('users/dave?tab=sessions');
    await page.getByRole('button', { name: 'End all sessions' }).click();
    await dialog.getByRole('button', { name: 'End the sessions' }).click();
    await page.getByText('No active sessions').waitFor();
    expect(await readUser('dave')).toMatchObject({ sessions: 0 });
    expect(await readUser('bob')).toMatchObject({ sessions: 1 });
    expect(problems).toEqual([]);
  });

  test('is created, and opened', async () => {
    const { page, dialog, problems } = await open('users');
    await page.getByRole('button', { name: 'Create a user' }).click();
    await dialog.getByLabel('Login name').fill('dora');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('not an address');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    // The error is at the field, which has the focus.
    await dialog.locator('input[aria-invalid=true]:focus[data-path=userEmail]').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await dialog.getByLabel('Login name').inputValue()).toBe('dora');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('dora@example.com');
    await dialog.getByLabel('Mobile number').fill('1 212');
    expect(await dialog.getByRole('button', { name: 'Create the user' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Mobile number').fill('1 212 5550100');
    await chooseFound(dialog.getByRole('combobox', { name: 'Business' }), 'acm', /Acme/);
    await dialog.getByLabel('The contacts count as verified').check();
    await dialog.getByRole('textbox', { name: 'Password' }).fill('demo-only correct horse');
    await dialog.getByLabel('Id', { exact: true }).fill('dora-1');
    await dialog.getByText('The same from a terminal').click();
    expect(await dialog.getByLabel('Command').first().innerText()).toMatch(
      /--user-id dora-1 --verified --password-stdin$/,
    );
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('heading', { name: 'dora' }).waitFor();
    const [, id = ''] = /users\/([^/?]+)/.exec(page.url()) ?? [];
    expect(await readUser(id)).toMatchObject({
      userId: 'dora-1',
      userName: 'dora',
      businessId: 'acme',
      contacts: [{ verified: true }, { verified: true }],
    });
    expect(problems.filter((problem) => !/status of 4/.test(problem))).toEqual([]);
  });

  test('is edited: only what was changed is sent', async () => {
    const { page, dialog, problems } = await open('users/erin');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('erin@example.org');
    await dialog.getByText('The same from a terminal').click();
    await dialog.getByText(command('users update erin --user-email erin@example.org'), { exact: true }).waitFor();
    await dialog.getByLabel('Login name').fill('erin-renamed');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'erin-renamed' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await dialog.getByLabel('Login name').inputValue()).toBe('erin-renamed');
    await chooseFound(dialog.getByRole('combobox', { name: 'Business' }), 'acm', /Acme/);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: /^Acme/ }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.locator('[aria-label="Clear: Business"]').click();
    await dialog.getByText('loses the roles of the groups of its business').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: /^Acme/ }).waitFor({ state: 'hidden' });
    expect(await readUser('erin')).toMatchObject({ userName: 'erin-renamed', contacts: [{ verified: true }] });
    expect(await readUser('erin')).not.toHaveProperty('businessId');
    expect(problems).toEqual([]);
  });

  test('gets a password with which it logs in', async () => {
    const { page, dialog, problems } = await open('users/fay');
    await page.getByRole('button', { name: 'Set password' }).click();
    await dialog.getByRole('textbox', { name: 'New password' }).fill('demo-only correct horse');
    await dialog.getByRole('button', { name: 'Set the password' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const path = `/security/iam/v1/user-identities/login?clientId=${appClientId}`;
    const headers = { Authorization: `Basic ${btoa('fay:demo-only correct horse')}` };
    expect((await send(path, { method: 'POST', headers, body: {} })).status).toBe(201);
    expect(problems).toEqual([]);
  });

  test('is signed in as at a level; the token is shown once and not stored', async () => {
    const { page, dialog, problems } = await open('users/gil?tab=sessions');
    await page.getByRole('button', { name: 'Sign in as' }).click();
    await dialog.getByLabel('Level').selectOption('AUTH-MFA');
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    const token = await copyWith(dialog.getByRole('button', { name: 'Copy', exact: true }));
    const { body } = await send('/_iam/tokens/inspect', { method: 'POST', body: { token } });
    expect(body).toMatchObject({ active: true, session: { userId: 'gil', level: 'AUTH-MFA' } });
    const kept = await page.evaluate('JSON.stringify([location.href, localStorage, sessionStorage, document.title])');
    expect(String(kept)).not.toContain('eyJ');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('AUTH-MFA').first().waitFor();
    await page.getByRole('button', { name: /^End (?!all)/ }).click();
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('No active sessions').waitFor();
    expect((await send('/_iam/tokens/inspect', { method: 'POST', body: { token } })).body).toMatchObject({
      active: false,
    });
    expect(problems).toEqual([]);
  });

  test('is added to a group and removed from it', async () => {
    const { page, dialog, problems } = await open('users/bob');
    await page.getByRole('button', { name: 'Add to a group' }).click();
    await chooseFound(dialog.getByRole('combobox', { name: 'Group' }), 'iam-aud', /iam-auditors/);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'iam-auditors' }).first().waitFor();
    expect(await readUser('bob')).toMatchObject({ effectiveRoles: expect.arrayContaining(['IAM_ADMIN_READ_ONLY']) });
    await page.getByRole('button', { name: 'Remove from iam-auditors' }).click();
    await dialog.getByRole('button', { name: 'Remove from the group' }).click();
    await page.getByText('In no group').waitFor();
    expect(await readUser('bob')).toMatchObject({ groupCount: 0 });
    expect(problems).toEqual([]);
  });
});
