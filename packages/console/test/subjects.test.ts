/** Users, clients, groups and businesses by name on every page, and what a page reads when it loads. */
import type { Page, Request } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../test/effort.ts';
import { findWidthOverflow, narrow } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

const idOf = (at: number) => `019ca9450a000000${String(at).padStart(8, '0')}`;
const [alice, longNamed, acme, portal, deployer, key, holding, unknown] = [1, 2, 3, 4, 5, 6, 7, 8].map(
  idOf,
) as string[];
const longName = 'W'.repeat(100);
const hiddenName = 'Ac\u202eme\u200b';
const shownName = 'Ac⟨U+202E⟩me⟨U+200B⟩';

const seed: SeedDocument = {
  businesses: [{ businessId: acme, businessName: hiddenName, document: 'd-1' }],
  users: [
    { userId: alice, userName: 'alice', userEmail: 'alice@example.com', businessId: acme },
    { userId: longNamed, userName: longName },
  ],
  clients: [
    { clientId: portal, clientSecret: 'only-for-tests', appId: 'portal', userId: alice },
    { clientId: deployer, clientSecret: 'only-for-tests', appId: 'ci', serviceAccountId: 'deployer' },
  ],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    {
      groupName: 'ops',
      roles: ['DEPLOY'],
      dependencies: [{ groupName: 'viewers' }],
      users: [alice, longNamed],
      businesses: [acme],
      services: ['deployer'],
    },
  ],
  apiKeys: [{ apiKeyId: key, appId: 'exports', clientId: portal }],
  corporateGroups: [{ corporateGroupId: holding, corporateGroupName: 'holding', businesses: [acme] }],
} as SeedDocument;

/** What each page names. */
const pages: readonly (readonly [path: string, ...names: readonly string[]])[] = [
  ['users', 'alice', longName, shownName],
  [`users/${alice}`, 'alice', shownName, 'ops'],
  [`users/${alice}?tab=sessions`, 'alice', 'portal'],
  [`users/${longNamed}`, longName, 'ops'],
  ['clients', 'portal', 'deployer', 'alice'],
  [`clients/${portal}?tab=keys`, 'portal', 'alice', 'exports'],
  ['clients/deployer', 'deployer', 'ops'],
  ['api-keys', 'exports', 'portal'],
  [`api-keys/${key}`, 'exports', 'portal'],
  ['businesses', shownName, 'holding'],
  [`businesses/${acme}`, shownName, 'holding', 'ops'],
  ['customers', shownName],
  ['corporate-groups', 'holding'],
  [`corporate-groups/${holding}`, 'holding', shownName],
  ['groups', 'ops', 'viewers'],
  ['groups/ops', 'ops', 'viewers', 'alice', longName, shownName, 'deployer'],
  ['groups?view=graph', 'ops', 'viewers'],
  [`groups?view=role&user=${alice}&role=VIEW`, 'alice', 'ops', 'viewers'],
  ['sessions', 'alice', 'portal'],
  ['overview'],
  ['inbox'],
  ['requests'],
  ['tokens'],
  ['faults'],
  ['state'],
  ['coverage'],
  ['metrics'],
  ['settings'],
];

describe.runIf(hasBrowser && isFullRun)('a page', () => {
  const { open, send } = useConsole({ seed, isShared: true, server: {} });

  /** The ids that the page shows whole, but for the one beside the title of an object and those in commands. */
  async function readWholeIds(page: Page): Promise<string[]> {
    const text = await page.evaluate(`(() => {
      const main = document.querySelector('main').cloneNode(true);
      for (const element of main.querySelectorAll('h1 + *, code, pre, details')) element.remove();
      return main.textContent;
    })()`);
    return String(text).match(/019ca9450a000000\d{8}/g) ?? [];
  }

  test.each(pages)('%s shows names, and reads nothing twice when it loads', async (path, ...names) => {
    await send('/_iam/sessions', { method: 'POST', body: { userId: alice, clientId: portal } });
    const sent: string[] = [];
    const record = (request: Request) => void sent.push(`${request.method()} ${request.url()}`);
    const { page } = await open('left');
    page.on('requestfinished', record);
    onTestFinished(() => void page.off('requestfinished', record));
    const { problems } = await open(path, { isReloaded: true });
    const main = page.getByRole('main');
    for (const name of names) await main.getByText(name).first().waitFor();
    // The stream connects, and what it would cause follows within half a second.
    await page.waitForTimeout(1500);
    const reads = sent.filter((request) => request.startsWith('GET ') && !request.includes('/assets/'));
    expect(reads.length).toBeGreaterThan(2);
    expect(reads.filter((request, at) => reads.indexOf(request) < at)).toEqual([]);
    expect(sent.filter((request) => request.includes('/_iam/names')).length).toBeLessThan(2);
    expect(await readWholeIds(page)).toEqual([]);
    expect([...(await findWidthOverflow(page, [narrow.width])), ...problems]).toEqual([]);
  });

  test('shows the id of a deleted subject in place of its name', async () => {
    const { page } = await open(`groups?view=role&user=${unknown}&role=VIEW`);
    await page.getByText('USER_NOT_FOUND').waitFor();
    expect(await page.getByRole('combobox', { name: 'User' }).inputValue()).toBe(unknown);
  });
});
