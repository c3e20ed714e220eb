/** The list of groups and the page of one group in a real browser. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { hasBrowser } from '../harness/browser.ts';
import { listLength } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const teamCount = listLength(1000);
const memberIds = Array.from({ length: 250 }, (_, at) => `user-${String(at).padStart(3, '0')}`);
const markup = '<img src=x onerror=alert(1)>';
const seed: SeedDocument = {
  businesses: [{ businessId: 'example-shop', businessName: 'Example Shop' }],
  users: [...memberIds.map((userId) => ({ userId })), { userId: 'alice', businessId: 'example-shop' }],
  clients: [{ clientId: 'billing', clientSecret: 'secret-of-billing', serviceAccountId: 'billing-service' }],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    {
      groupName: 'ops',
      organizationId: 'example-org',
      roles: ['DEPLOY'],
      dependencies: [{ groupName: 'viewers' }],
      users: memberIds,
      businesses: ['example-shop'],
      businessUsers: [{ businessId: 'example-shop', userId: 'alice' }],
      services: ['billing-service'],
    },
    { groupName: 'leads', roles: ['APPROVE'], dependencies: [{ groupName: 'ops' }] },
    { groupName: markup, roles: ['MARKED'], dependencies: [{ groupName: 'leads' }] },
    ...Array.from({ length: teamCount }, (_, at) => ({ groupName: `team-${String(at).padStart(4, '0')}` })),
  ],
};

describe.skipIf(!hasBrowser)('the groups', () => {
  const { open, openList } = useConsole({ seed, isShared: true });

  test('are searched on the server, with the search in the URL', async () => {
    const { page, problems } = await open('groups');
    await page.getByLabel('Name, id or role').fill('approve');
    await page.getByRole('button', { name: 'leads' }).waitFor();
    await page.getByText(/^1 of \d/).waitFor();
    expect(new URL(page.url()).search).toBe('?search=approve');
    await page.getByLabel('Name, id or role').fill('nothing like this');
    await page.getByText('No groups match').waitFor();
    expect(problems).toEqual([]);
  });

  test('are read to the last of hundreds, sorted by name', async () => {
    const { page, problems } = await openList('groups?sort=-groupName');
    const list = page.getByRole('region', { name: 'Groups' });
    await list.getByText('viewers').waitFor();
    await expect
      .poll(
        async () => {
          await list.evaluate('document.querySelector("section.rows").scrollTo(0, 1e6)');
          return list.getByText(markup).count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await page.getByText(/^[\d,]+ in all$/).waitFor();
    expect(await page.locator('tbody tr').count()).toBeLessThan(60);
    expect(problems).toEqual([]);
  });

  test('open by the keyboard and show own and inherited roles with their origin', async () => {
    const { page, problems } = await open('groups?search=leads');
    await page.getByRole('button', { name: 'leads' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'leads' }).waitFor();
    await page.getByRole('region', { name: 'Own roles' }).waitFor();
    await page.getByRole('link', { name: /^Inherited roles/ }).click();
    const inherited = page.getByRole('table', { name: 'Inherited roles' });
    await inherited.waitFor();
    const rows = (await inherited.getByRole('row').allTextContents()).map((text) => text.split(' ')[0]);
    expect(rows).toEqual(['RoleFrom', 'DEPLOYops', 'VIEWviewers']);
    await page.getByRole('table', { name: 'Dependents' }).getByRole('link', { name: markup }).click();
    await page.getByRole('heading', { level: 1, name: markup }).waitFor();
    await page.getByText('No members yet').waitFor();
    expect(problems).toEqual([]);
  });

  test('have members of every kind, page by page, at an address of their own', async () => {
    const { page, problems } = await openList('groups/ops');
    await page.getByText('250 users, 1 business, 1 user on behalf of a business, 1 service account').waitFor();
    await page.getByText('example-org').waitFor();
    const members = page.getByRole('region', { name: 'Members of the group' });
    await members.getByText('billing-service').waitFor();
    await members.getByText('User of a business').waitFor();
    await expect
      .poll(
        async () => {
          await members.evaluate('document.querySelector("section.rows").scrollTo(0, 1e6)');
          return members.getByText('user-249').count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('that do not exist are explained', async () => {
    const { page } = await open('groups/no-such-group');
    await page.getByRole('alert').getByText('GROUP_NOT_FOUND').first().waitFor();
    await page.getByRole('link', { name: 'All groups' }).click();
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
  });
});
