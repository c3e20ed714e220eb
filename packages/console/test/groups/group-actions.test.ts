/** Writes on the page of groups in a real browser, each with its effect on the server. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { hasBrowser } from '../harness/browser.ts';
import { chooseFound } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const seed: SeedDocument = {
  businesses: [{ businessId: 'example-shop', businessName: 'Example Shop' }],
  users: [{ userId: 'bob' }, { userId: 'carol' }, { userId: 'alice', businessId: 'example-shop' }],
  clients: [{ clientId: 'billing', clientSecret: 'secret-of-billing', serviceAccountId: 'billing-service' }],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['bob'] },
    { groupName: 'leads', roles: ['APPROVE'], dependencies: [{ groupName: 'ops' }] },
    // Each for one test, which changes it.
    { groupName: 'builders', roles: ['DEPLOY'] },
    { groupName: 'guests', roles: ['APPROVE'] },
  ],
};

describe.skipIf(!hasBrowser)('groups', () => {
  const { command, open, read, service } = useConsole({ seed, isShared: true });

  const readGroup = (groupId: string) => service().admin.groups.get({ params: { groupId } });
  const readMembers = (name: string) => read(`/_iam/groups/${name}/members`);

  test('are created with roles and dependencies', async () => {
    const { page, dialog, problems } = await open('groups');
    await page.getByRole('button', { name: 'Create a group' }).click();
    await dialog.getByLabel('Name').fill('release team');
    await dialog.getByRole('combobox', { name: 'Roles' }).fill('RELEASE');
    await page.keyboard.press('Enter');
    await dialog.getByRole('combobox', { name: 'Dependencies' }).fill('builders');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await dialog.getByText('The same from a terminal').click();
    await dialog
      .getByText(command("groups create --group-name 'release team' --role RELEASE --dependency builders"))
      .waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'release team' }).waitFor();
    expect(await readGroup('release team')).toMatchObject({
      roles: ['RELEASE'],
      dependencies: [{ groupName: 'builders' }],
    });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('keep what was typed when the server refuses it', async () => {
    const { page, dialog } = await open('groups');
    await page.getByRole('button', { name: 'Create a group' }).click();
    await dialog.getByLabel('Name').fill('ops');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('is already in use').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('ops');
    expect(await service().admin.groups.list({ query: { name: 'ops' } })).toMatchObject({
      items: [{ roles: ['DEPLOY'] }],
    });
  });

  test('show the changes of an edit before they are sent', async () => {
    const { page, dialog, problems } = await open('groups/builders');
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Roles' }).focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.type('ROLLBACK');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Organization').fill('example-org');
    const changes = dialog.getByRole('region', { name: 'Changes' }).getByRole('listitem');
    expect(await changes.allTextContents()).toEqual([
      'Organization: none becomes example-org',
      'Add the role ROLLBACK',
      'Remove the role DEPLOY',
    ]);
    await dialog.getByText('The same from a terminal').click();
    await dialog
      .getByText(
        command('groups update builders --set organizationId=example-org --add-role ROLLBACK --remove-role DEPLOY'),
      )
      .waitFor();
    expect(await readGroup('builders')).toMatchObject({ roles: ['DEPLOY'] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('region', { name: 'Own roles' }).getByText('ROLLBACK').waitFor();
    expect(await readGroup('builders')).toMatchObject({ roles: ['ROLLBACK'], organizationId: 'example-org' });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('explain the circle that an edit would make', async () => {
    const { page, dialog } = await open('groups/viewers');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('combobox', { name: 'Dependencies' }).fill('leads');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/cycle/).waitFor();
    expect(await readGroup('viewers')).toMatchObject({ dependencies: [] });
  });

  test('are deleted after a confirmation that names the members', async () => {
    const { page, dialog, problems } = await open('groups/guests');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('No other group depends on it.').waitFor();
    await dialog.getByText('It has no members.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await readGroup('guests')).toMatchObject({ groupName: 'guests' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete the group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    expect(await service().admin.groups.list({ query: { name: 'guests' } })).toMatchObject({ items: [] });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('stay while others depend on them, and the confirmation names these', async () => {
    const { page, dialog } = await open('groups/ops');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText(/while other groups depend on it: leads \w+…\w+\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Delete the group', disabled: true }).waitFor();
    await dialog.getByText('Remove the dependencies of other groups first.').first().waitFor();
    expect(await readGroup('ops')).toMatchObject({ groupName: 'ops' });
  });

  const kinds = [
    { option: 'User', choices: [['User', 'carol', 'carol']], member: { kind: 'user', userId: 'carol' }, name: 'carol' },
    {
      option: 'Business, with all its users',
      choices: [['Business', 'example-shop', 'Example Shop']],
      member: { kind: 'business', businessId: 'example-shop' },
      name: 'Example Shop',
    },
    {
      option: 'User on behalf of a business',
      choices: [
        ['On behalf of', 'example-shop', 'Example Shop'],
        ['User', 'alice', 'alice'],
      ],
      member: { kind: 'businessUser', userId: 'alice', businessId: 'example-shop' },
      name: 'alice on behalf of Example Shop',
    },
    {
      option: 'Service account of a client',
      choices: [['Service account', 'billing', 'billing-service']],
      member: { kind: 'service', serviceId: 'billing-service' },
      name: 'billing-service',
    },
  ] as const;

  test.each(isFullRun ? kinds : kinds.slice(2))(
    'get and lose a member of the kind $option',
    async ({ option, choices, member, name }) => {
      const { page, dialog, problems } = await open('groups/viewers');
      await page.getByRole('button', { name: 'Add a member' }).click();
      await dialog.getByLabel('Kind of member').selectOption(option);
      for (const [label, text, found] of choices)
        await chooseFound(dialog.getByRole('combobox', { name: label, exact: true }), text, new RegExp(`^${found}`));
      await dialog.getByRole('button', { name: 'Add' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await readMembers('viewers')).toMatchObject([member]);
      await page.getByRole('button', { name: `Remove ${name}`, exact: true }).click();
      expect(await readMembers('viewers')).toMatchObject([member]);
      await dialog.getByRole('button', { name: 'Remove the member' }).click();
      await page.getByText('No members yet').waitFor();
      expect(await readMembers('viewers')).toEqual([]);
      expect(problems).toEqual([]);
    },
  );
});
