/** The list of users and the page of one user in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { closeContexts, hasBrowser, openConsole, sharedBrowser } from './console-page.ts';

const markup = '<img src=x onerror=alert(1)>';
const seed: SeedDocument = {
  users: [
    { userId: 'alice' },
    ...Array.from({ length: 10_000 }, (_, at) => ({ userId: `user-${String(at).padStart(5, '0')}` })),
  ],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['alice'] },
    { groupName: markup, roles: ['MARKED'], users: ['alice'] },
  ],
};

describe.skipIf(!hasBrowser)('the users', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ seed }), sharedBrowser()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await server?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => openConsole(browser, server.url, { path });

  test('are searched on the server, with the search in the URL', async () => {
    const { page, problems } = await open('users');
    await page.getByLabel('Login name, e-mail or id').fill('user-09999');
    await page.getByText('1 in all').waitFor();
    expect(new URL(page.url()).search).toBe('?search=user-09999');
    await page.getByRole('button', { name: 'user-09999' }).click();
    await page.getByRole('heading', { level: 1, name: 'user-09999' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/_iam/console/users/user-09999');
    expect(problems).toEqual([]);
  });

  test('are read to the last of 10,000, and sorted by a column', async () => {
    const { page, problems } = await open('users');
    const list = page.getByRole('region', { name: 'Users' });
    await list.getByRole('button', { name: 'Id', exact: true }).click();
    await list.getByRole('columnheader', { name: 'Id' }).and(page.locator('[aria-sort=ascending]')).waitFor();
    await expect
      .poll(
        async () => {
          await list.evaluate('document.querySelector("section.rows").scrollTo(0, 1e7)');
          return list.getByRole('button', { name: 'user-09999' }).count();
        },
        { timeout: 50_000 },
      )
      .toBe(1);
    await page.getByText(/^\d+ in all$/).waitFor();
    expect(await list.getByRole('row').count()).toBeLessThan(100);
    expect(problems).toEqual([]);
  });

  test('show through which group each role comes, and the path to it', async () => {
    const { page, problems } = await open('users/alice');
    const roles = page.getByRole('region', { name: /^Effective roles/ });
    await roles.getByRole('listitem').filter({ hasText: 'VIEW' }).getByText('from ops').waitFor();
    await roles.getByRole('button', { name: 'Path to VIEW' }).click();
    await roles.getByText('alice → ops → viewers → VIEW').waitFor();
    expect(new URL(page.url()).search).toBe('?role=VIEW');
    await page.getByRole('link', { name: markup }).waitFor();
    expect(problems).toEqual([]);
  });

  test('say so if the id is unknown', async () => {
    const { page } = await open('users/unknown');
    await page.getByRole('alert').getByText('USER_NOT_FOUND').waitFor();
  });
});
