/** Each view and dialog of groups with the rules of WCAG 2.2 AA, in both colour schemes and at two widths. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { useConsole } from '../harness/use-console.ts';

const longName = `${'long-name-'.repeat(9)}<b>`;
const seed: SeedDocument = {
  users: [{ userId: 'bob' }],
  groups: [
    { groupName: 'viewers', roles: ['VIEW', `V${'ERY_LONG_'.repeat(7)}`] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['bob'] },
    { groupName: 'reviewers', roles: ['REVIEW'], users: ['bob'] },
    { groupName: longName, roles: ['APPROVE'], dependencies: [{ groupName: 'ops' }] },
  ],
};

const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();

const cases: readonly { path: string; ready: string; open?: (page: Page) => Promise<void> }[] = [
  { path: 'groups?search=ops', ready: ' of ' },
  { path: 'groups?search=nothing', ready: 'No groups match' },
  { path: 'groups', ready: 'Names of groups whose roles', open: click('Create a group') },
  { path: 'groups/ops', ready: '1 in all' },
  { path: 'groups/ops?tab=roles', ready: 'Dependents' },
  { path: `groups/${encodeURIComponent(longName)}`, ready: 'No members yet' },
  { path: 'groups/missing', ready: 'GROUP_NOT_FOUND' },
  { path: 'groups/ops', ready: 'None yet.', open: click('Edit') },
  { path: 'groups/ops', ready: 'Kind of member', open: click('Add a member') },
  { path: 'groups/reviewers', ready: 'Its members lose', open: click('Delete') },
  { path: 'groups/ops', ready: 'bob loses', open: click('Remove bob') },
  { path: 'groups?view=graph', ready: 'Open the group', open: (page) => page.locator('.group-node').first().click() },
  { path: 'groups?view=role', ready: 'Choose a user and a role' },
  { path: 'groups?view=role&user=bob&role=VIEW', ready: 'Yes: bob has VIEW' },
  { path: 'groups?view=role&user=bob&role=APPROVE', ready: 'A membership in one of these' },
];

describe.runIf(hasBrowser && isFullRun)('all views of groups', () => {
  const { open: openAt } = useConsole({ seed, isShared: true });

  test.each(cases)('$path: $ready', async ({ path, ready, open }) => {
    const { page, problems } = await openAt(path);
    await open?.(page);
    await page.getByText(ready).first().waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    if (!path.includes('missing')) expect(problems).toEqual([]);
  });
});
