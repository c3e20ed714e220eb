/** The list of users and the page of one user in a real browser. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { withConsent } from '../../../src/server/sessions/consents.ts';
import { isFullRun } from '../../../test/effort.ts';
import { hasBrowser } from './harness/browser.ts';
import { listLength } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const markup = '<img src=x onerror=alert(1)>';
const count = listLength(10_000);
const idAt = (at: number) => `user-${String(at).padStart(5, '0')}`;
const lastId = idAt(count - 1);
const seed: SeedDocument = {
  users: [{ userId: 'alice' }, ...Array.from({ length: count }, (_, at) => ({ userId: idAt(at) }))],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['alice'] },
    { groupName: markup, roles: ['MARKED'], users: ['alice'] },
  ],
  clients: [{ clientId: 'partner', clientSecret: 'only-for-tests', appId: 'partner', party: '3RDPARTY' }],
};

describe.skipIf(!hasBrowser)('the users', () => {
  const { open, openList, read, service } = useConsole({ seed, isShared: true, server: {} });

  test('are searched on the server, with the search in the URL', async () => {
    const { page, problems } = await open('users');
    await page.getByLabel('Login name, e-mail or id').fill(lastId);
    await page.getByText(/^1 of \d/).waitFor();
    expect(new URL(page.url()).search).toBe(`?search=${lastId}`);
    await page.getByRole('button', { name: lastId }).click();
    await page.getByRole('heading', { level: 1, name: lastId }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/_iam/console/users/${lastId}`);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are read to the last of thousands, and sorted by a column', async () => {
    const { page, problems } = await openList('users');
    await page.getByText(/^[\d,]+ in all$/).waitFor();
    const list = page.getByRole('region', { name: 'Users' });
    await list.getByRole('button', { name: 'User', exact: true }).click();
    await list.getByRole('columnheader', { name: 'User' }).and(page.locator('[aria-sort=ascending]')).waitFor();
    await expect
      .poll(
        async () => {
          await list.evaluate('document.querySelector("section.rows").scrollTo(0, 1e7)');
          return list.getByRole('button', { name: lastId }).count();
        },
        { timeout: 50_000 },
      )
      .toBe(1);
    expect(await list.getByRole('row').count()).toBeLessThan(100);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('show what they let third-party clients do, until it is revoked', async () => {
    const { store, clock } = service().appContext;
    await store.transaction(async (tx) => {
      const alice = await tx.users.get('alice');
      if (alice) await tx.users.replace(withConsent(alice, 'partner', ['openid', 'email'], clock));
    });
    const { page, dialog, problems } = await open('users/alice');
    const consents = page.getByRole('region', { name: /^Consents/ });
    await consents.getByText('openid, email').waitFor();
    await consents.getByRole('button', { name: 'Revoke the consent to partner' }).click();
    await dialog.getByRole('button', { name: 'Revoke the consent' }).click();
    await consents.getByText('None.').waitFor();
    expect(await read('/_iam/users/alice')).toMatchObject({ consents: [] });
    expect(problems).toEqual([]);
  });

  test('show through which group each role comes, and the path to it', async () => {
    const { page, problems } = await open('users/alice');
    const roles = page.getByRole('region', { name: /^Effective roles/ });
    const origin = roles.getByRole('row').filter({ hasText: 'VIEW' });
    await origin.getByText(/viewers.*, through .*ops/).waitFor();
    await origin.getByRole('link', { name: 'viewers' }).waitFor();
    await roles.getByRole('button', { name: 'Path to VIEW' }).click();
    const way = roles.getByRole('list', { name: 'Way to the role' }).getByRole('listitem');
    await expect
      .poll(async () => (await way.allTextContents()).join(' ').replaceAll(/ \w+…\w+/g, ''))
      .toBe('alice is in → ops depends on → viewers has → VIEW');
    expect(new URL(page.url()).search).toBe('?role=VIEW');
    await page.getByRole('link', { name: markup }).first().waitFor();
    expect(problems).toEqual([]);
  });

  test('have tabs with addresses of their own, between which Back returns', async () => {
    const { page, problems } = await open('users/alice');
    const tabs = page.getByRole('navigation', { name: 'About alice' });
    await tabs.getByRole('link', { name: 'History' }).click();
    await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=history');
    await tabs.getByRole('link', { name: 'Requests' }).click();
    await page.getByText('No requests yet').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: /^Effective roles/ }).waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('say so if the id is unknown', async () => {
    const { page } = await open('users/unknown');
    await page.getByRole('alert').getByText('USER_NOT_FOUND').waitFor();
  });
});
