/** Filters of all pages in a real browser: what is filled and emptied again leaves the address as it was. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

const seed: SeedDocument = {
  users: [{ userId: 'alice', userEmail: 'alice@example.com' }, { userId: 'bob' }],
  groups: [{ groupName: 'ops', roles: ['VIEW'], users: ['alice'] }],
};

describe.skipIf(!hasBrowser)('the filters of', () => {
  const { open } = useConsole({ seed, isShared: true });

  const filters = (page: Page) => new URL(page.url()).searchParams.toString();

  async function expectEmptied(page: Page, what: string): Promise<void> {
    await expect.poll(() => `${what}: ${filters(page)}`).toBe(`${what}: `);
    expect(await page.getByText('undefined').count(), what).toBe(0);
  }

  /** Fills and empties each of these fields; a fill shows in the address. */
  async function walk(page: Page, fields: Locator, change: (field: Locator, isFilled: boolean) => Promise<void>) {
    for (const field of await fields.all()) {
      const what = `${page.url()} ${(await field.getAttribute('id')) ?? ''}`;
      await change(field, true);
      await expect.poll(() => filters(page), { message: what }).not.toBe('');
      await change(field, false);
      await expectEmptied(page, what);
    }
  }

  test.each(
    ['inbox', 'requests', 'audit', 'sessions', 'users', 'groups', 'businesses', 'customers', 'corporate-groups'].concat(
      ['clients', 'api-keys', 'coverage', 'settings'],
    ),
  )('%s can be emptied', async (path) => {
    const { page, problems } = await open(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const main = page.getByRole('main');
    await walk(page, main.locator('input[type=search]:visible'), (field, isFilled) => field.fill(isFilled ? 'a' : ''));
    await walk(page, main.getByRole('checkbox', { name: /^(?!Select )/ }), (field) => field.click());
    const [sortable] = await main.getByRole('columnheader').getByRole('button').all();
    if (sortable) {
      await sortable.click();
      await expect.poll(() => filters(page)).toMatch(/^sort=/);
      await sortable.click();
      await sortable.click();
      await expectEmptied(page, `${path} sorted`);
    }
    expect(problems).toEqual([]);
  });
});
