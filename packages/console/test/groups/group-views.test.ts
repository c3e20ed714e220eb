/** The graph of groups and the check of a role in a real browser. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { hasBrowser } from '../harness/browser.ts';
import { chooseFound } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const markup = '<img src=x onerror=alert(1)>';
const seed: SeedDocument = {
  users: [{ userId: 'bob' }, { userId: 'carol' }],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['bob'] },
    { groupName: 'leads', roles: ['APPROVE'], dependencies: [{ groupName: 'ops' }] },
    { groupName: markup, dependencies: [{ groupName: 'leads' }] },
    ...Array.from({ length: 1000 }, (_, at) => ({
      groupName: `team-${String(at).padStart(4, '0')}`,
      ...(at < 20 ? {} : { dependencies: [{ groupName: `team-${String(Math.floor(at / 20)).padStart(4, '0')}` }] }),
    })),
  ],
};

describe.skipIf(!hasBrowser)('of the groups', () => {
  const { command, open } = useConsole({ seed, isShared: true });

  const graphOf = (page: Page) => page.getByRole('region', { name: 'Graph of groups' });
  const isLoaded = (page: Page, name: string) =>
    page.evaluate(`performance.getEntriesByType('resource').some(({ name }) => name.includes('${name}'))`);

  test('the graph draws each group left of its dependencies, and opens one by the keyboard', async () => {
    const { page, problems } = await open('groups/ops', { isReloaded: true });
    await page.getByText('Own roles').first().waitFor();
    expect(await isLoaded(page, 'group-canvas')).toBe(false);
    await page.getByRole('main').getByRole('link', { name: 'Graph', exact: true }).click();
    const graph = graphOf(page);
    const names = [markup, 'leads', 'ops', 'viewers'];
    const places = [];
    for (const name of names) places.push((await graph.getByRole('button', { name }).boundingBox())?.x);
    expect(places).toEqual(places.toSorted((a, b) => Number(a) - Number(b)));
    // Edges follow the nodes a frame later.
    await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(3);
    expect(await isLoaded(page, 'group-canvas')).toBe(true);
    await graph.getByRole('button', { name: 'leads' }).press('Enter');
    const chosen = page.getByRole('region', { name: 'Chosen group' });
    for (const role of ['APPROVE', 'DEPLOY', 'VIEW']) await chosen.getByText(role, { exact: true }).waitFor();
    await chosen.getByRole('link', { name: 'Open the group' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'leads' }).waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('one tab is current', async () => {
    for (const [view, tab] of [
      ['', 'List'],
      ['?search=ops', 'List'],
      ['?view=graph', 'Graph'],
      ['?view=graph&root=ops', 'Graph'],
      ['?view=role', 'Check a role'],
    ] as const) {
      const { page } = await open(`groups${view}`);
      const tabs = page.getByRole('navigation', { name: 'Views of groups' });
      await tabs.getByRole('link', { name: tab, exact: true }).waitFor();
      expect(await tabs.locator('[aria-current]').allTextContents(), view).toEqual([tab]);
    }
  });

  test.runIf(isFullRun)('the graph begins with a part of 1,000 groups, and finds the others', async () => {
    const { page, problems } = await open('groups?view=graph');
    await page.getByText(/^\d+ of 1000 groups, around team-\d+$/).waitFor();
    const graph = graphOf(page);
    await graph.getByRole('button').first().waitFor();
    expect(await page.locator('.group-node').count()).toBeLessThan(60);
    await chooseFound(page.getByRole('combobox', { name: 'Connected to' }), 'leads', 'leads');
    await page.getByText('4 of 4 groups').waitFor();
    await graph.getByRole('button', { name: 'viewers' }).click();
    await page.getByRole('region', { name: 'Chosen group' }).getByText('VIEW', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('the check of a role draws the way over the groups', async () => {
    const { page, problems } = await open('groups?view=role');
    await chooseFound(page.getByRole('combobox', { name: 'User' }), 'bob', 'bob');
    await page.getByRole('combobox', { name: 'Role' }).fill('VIEW');
    await page.getByRole('heading', { name: 'Yes: bob has VIEW' }).waitFor();
    const way = page.getByRole('list', { name: 'Way to the role' }).getByRole('listitem');
    expect((await way.allTextContents()).join(' ').replaceAll(/ \w+…\w+/g, '')).toBe(
      'bob is in → ops depends on → viewers has → VIEW',
    );
    expect(new URL(page.url()).search).toBe('?view=role&user=bob&role=VIEW');
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('the check of a role names the groups that would give it', async () => {
    const { page } = await open('groups?view=role&user=carol&role=DEPLOY');
    await page.getByRole('heading', { name: 'No: no group gives DEPLOY to carol' }).waitFor();
    await page.getByRole('link', { name: 'ops' }).waitFor();
    await page.getByText('The same from a terminal').click();
    await page.getByText(command('can carol DEPLOY')).waitFor();
  });

  test('the check of a role says which roles no group can give', async () => {
    const { page } = await open('groups?view=role&user=carol&role=AUTH-MFA');
    await page.getByText('Only the service gives AUTH-MFA').waitFor();
  });
});
