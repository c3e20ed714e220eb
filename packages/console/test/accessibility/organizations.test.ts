/** Each view and dialog of businesses, customers and corporate groups with the rules of WCAG 2.2 AA. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { useConsole } from '../harness/use-console.ts';
import { holdingId, organizationSeed } from '../organizations/organization-seed.ts';

const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

const cases: readonly { path: string; ready: string; open?: (page: Page) => Promise<void> }[] = [
  { path: 'businesses?search=nothing', ready: 'No businesses match' },
  { path: 'businesses?search=acme', ready: 'The official identification number', open: click('Create a business') },
  { path: 'businesses/globex', ready: 'Effective roles (1)' },
  { path: 'businesses/globex', ready: 'lose the roles', open: click('Remove from viewers') },
  { path: 'businesses/missing', ready: 'BUSINESS_NOT_FOUND' },
  { path: 'businesses/acme', ready: 'get the roles', open: click('Add to a group') },
  { path: 'businesses/acme', ready: 'Cancel', open: click('Add to a corporate group') },
  { path: 'customers', ready: 'Make a user a customer', open: click('Make a user a customer') },
  { path: 'customers/999999', ready: 'CUSTOMER_NOT_FOUND' },
  { path: 'corporate-groups?search=nothing', ready: 'No corporate groups match' },
  { path: `corporate-groups/${holdingId}`, ready: 'Businesses (1)' },
  { path: `corporate-groups/${holdingId}`, ready: 'Backspace removes', open: click('Edit') },
  { path: `corporate-groups/${holdingId}`, ready: 'in no corporate group: globex', open: click('Delete') },
  { path: 'corporate-groups/marked-1', ready: 'No businesses' },
  { path: 'corporate-groups/missing', ready: 'CORPORATE_GROUP_NOT_FOUND' },
];

describe.runIf(hasBrowser && isFullRun)('all views of businesses, customers and corporate groups', () => {
  const { open: openAt } = useConsole({ seed: organizationSeed, isShared: true });

  test.each(cases)('$path: $ready', async ({ path, ready, open }) => {
    const { page, problems } = await openAt(path);
    await open?.(page);
    await page.getByText(ready).first().waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    if (!/missing|999999/.test(path)) expect(problems).toEqual([]);
  });
});
