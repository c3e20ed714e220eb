/** Businesses, customers and corporate groups in a real browser: the lists, each action with its effect, and markup. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient } from '../../../../test/harness.ts';
import { hasBrowser } from '../harness/browser.ts';
import { chooseFound, listLength, navigate, openByKeys } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';
import { createOrganizationSeed, holdingId, markup, organizationSeed, shopName } from './organization-seed.ts';

const shops = listLength(1200);

describe.skipIf(!hasBrowser)('businesses', () => {
  const { openList } = useConsole({ seed: createOrganizationSeed(shops) });

  test.runIf(isFullRun)('are read to the last of the list, searched and sorted on the server', async () => {
    const { page, problems } = await openList('businesses?sort=-document');
    const list = page.getByRole('region', { name: 'Businesses' });
    await page.getByRole('button', { name: shopName(shops - 1) }).waitFor();
    await list.focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator(`table[aria-rowcount="${shops + 3}"]`).count();
      })
      .toBe(1);
    await page.getByLabel('Name, id or document').fill('9000042');
    await page.getByRole('button', { name: 'Shop 42' }).waitFor();
    await page.getByText(/^1 of \d/).waitFor();
    expect(new URL(page.url()).searchParams.get('search')).toBe('9000042');
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!hasBrowser)('businesses, customers and corporate groups', () => {
  const { command, open, read: readAt, send, service } = useConsole({ seed: organizationSeed, isShared: true });

  const read = (path: string) => readAt(`/_iam${path}`);
  function readCorporateGroup(id: string) {
    const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
    return send(`/security/iam/v1/corporate-groups/${id}`, { headers });
  }
  const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const select = (page: Page, label: string, text: string, option: string) =>
    chooseFound(page.getByRole('dialog').getByRole('combobox', { name: label }), text, option);

  test.runIf(isFullRun)('are opened by the keyboard', async () => {
    const { page, problems } = await open('inbox');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    for (const [key, title] of [
      ['b', 'Businesses'],
      ['o', 'Customers'],
      ['p', 'Corporate groups'],
    ] as const)
      await openByKeys(page, key, title);
    expect(problems).toEqual([]);
  });

  test('a business is created in a corporate group, with its customer', async () => {
    const { page, dialog, problems } = await open('businesses');
    await click(page, 'Create a business');
    await dialog.getByLabel('Name').fill('Initech');
    await dialog.getByLabel('Document').fill('333');
    await dialog.getByLabel('Id', { exact: true }).fill('initech');
    await select(page, 'Corporate group', 'union', 'union');
    await expect
      .poll(() => dialog.getByLabel('Command').first().textContent())
      .toContain(command('customers create-business --business-name Initech --document 333 --business-id initech'));
    await dialog.getByRole('button', { name: 'Create the business' }).click();
    await page.getByRole('heading', { level: 1, name: 'Initech' }).waitFor();
    expect(await read('/businesses/initech')).toMatchObject({ document: '333', corporateGroupId: 'union-1' });
    expect(await read('/customers?search=initech')).toMatchObject([{ businessId: 'initech', document: '333' }]);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('a taken document is refused, and what was typed stays', async () => {
    const { page, dialog } = await open('businesses');
    await click(page, 'Create a business');
    await dialog.getByLabel('Name').fill('Other');
    await dialog.getByLabel('Document').fill('111');
    await dialog.getByRole('button', { name: 'Create the business' }).click();
    await dialog.getByText('has the document').waitFor();
    expect(await dialog.getByLabel('Document').inputValue()).toBe('111');
    expect(await read('/businesses?name=Other')).toEqual([]);
  });

  test('a business is added to a group, whose roles it shows, and removed from it', async () => {
    const { page, dialog, problems } = await open('businesses/acme');
    await page.getByText('In no group.').waitFor();
    await click(page, 'Add to a group');
    await select(page, 'Group', 'ops', 'ops');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Effective roles (2)').waitFor();
    expect(await read('/businesses/acme')).toMatchObject({ effectiveRoles: ['DEPLOY', 'VIEW'] });
    await click(page, 'Remove from ops');
    await dialog.getByText('All users of the business lose the roles').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await read('/businesses/acme')).toMatchObject({ groupCount: 1 });
    await click(page, 'Remove from ops');
    await dialog.getByRole('button', { name: 'Remove from the group' }).click();
    await page.getByText('In no group.').waitFor();
    expect(await read('/businesses/acme')).toMatchObject({ groupCount: 0 });
    expect(problems).toEqual([]);
  });

  test('a business joins a corporate group and leaves it', async () => {
    const { page, dialog, problems } = await open('businesses/acme');
    await click(page, 'Add to a corporate group');
    await select(page, 'Corporate group', 'holding', 'holding');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: 'holding' }).click();
    await page.getByText('Businesses (2)').waitFor();
    expect((await readCorporateGroup(holdingId)).body).toMatchObject({
      organizationId: 'example-org',
      businesses: [{ businessId: 'globex' }, { businessId: 'acme' }],
    });
    await click(page, 'Remove Acme');
    await dialog.getByRole('button', { name: 'Remove the business' }).click();
    await page.getByText('Businesses (1)').waitFor();
    expect((await readCorporateGroup(holdingId)).body).toMatchObject({ businesses: [{ businessId: 'globex' }] });
    await click(page, 'Add a business');
    await select(page, 'Business', 'shop-0042', 'Shop 42 shop-0042');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Businesses (2)').waitFor();
    expect(await read('/businesses/shop-0042')).toMatchObject({ corporateGroupId: holdingId });
    expect(problems).toEqual([]);
  });

  test('a user becomes a customer, which links to it', async () => {
    const { page, dialog, problems } = await open('customers');
    await click(page, 'Make a user a customer');
    await select(page, 'User', 'alice', 'alice');
    await dialog.getByLabel('Document').fill('444');
    await dialog.getByLabel('Name').fill(`Alice ${markup}`);
    await dialog.getByRole('button', { name: 'Create the customer' }).click();
    await page.getByRole('heading', { level: 1, name: `Alice ${markup}` }).waitFor();
    expect(await read('/users/alice')).toMatchObject({ customerId: expect.any(Number) });
    await page.getByRole('table', { name: 'Customer' }).getByRole('link', { name: 'alice' }).click();
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a corporate group is created, edited and deleted after a confirmation', async () => {
    const { page, dialog, problems } = await open('corporate-groups');
    await click(page, 'Create a corporate group');
    await dialog.getByLabel('Name').fill('alliance');
    await select(page, 'Businesses', 'acme', 'Acme acme');
    await dialog.getByRole('button', { name: 'Create the corporate group' }).click();
    await page.getByRole('heading', { level: 1, name: 'alliance' }).waitFor();
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    expect((await readCorporateGroup(id)).body).toMatchObject({ businesses: [{ businessId: 'acme' }] });
    await click(page, 'Edit');
    await dialog.getByLabel('Name').fill('federation');
    await dialog.getByLabel('Organization').fill('other-org');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'federation' }).waitFor();
    expect((await readCorporateGroup(id)).body).toMatchObject({
      corporateGroupName: 'federation',
      organizationId: 'other-org',
      businesses: [{ businessId: 'acme' }],
    });
    await click(page, 'Delete');
    await dialog.getByText('in no corporate group: Acme acme.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await readCorporateGroup(id)).status).toBe(200);
    await click(page, 'Delete');
    await dialog.getByRole('button', { name: 'Delete the corporate group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Corporate groups' }).waitFor();
    expect((await readCorporateGroup(id)).status).toBe(404);
    expect(await read('/businesses/acme')).toMatchObject({ businessId: 'acme' });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('a name is found by a part of it, and a taken one is refused', async () => {
    const { page, dialog } = await open('corporate-groups');
    await page.getByLabel('Name or id').fill('nosuch');
    await page.getByText('No corporate groups match').waitFor();
    await page.getByLabel('Name or id').fill('HOLD');
    await page.getByText('1 of 3', { exact: true }).waitFor();
    await click(page, 'Create a corporate group');
    await dialog.getByLabel('Name').fill('holding');
    await dialog.getByRole('button', { name: 'Create the corporate group' }).click();
    await dialog.getByText('is already in use').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('holding');
  });

  test.runIf(isFullRun)('markup in names is text', async () => {
    const { page, problems } = await open('businesses?search=globex');
    await page.getByRole('button', { name: `Globex ${markup}` }).click();
    await page.getByRole('heading', { level: 1, name: `Globex ${markup}` }).waitFor();
    await navigate(page, `${service().url}/_iam/console/corporate-groups/marked-1`);
    await page.getByRole('heading', { level: 1, name: `Group ${markup}` }).waitFor();
    await click(page, 'Delete');
    await page.getByText(`Delete Group ${markup}`).waitFor();
    expect(await page.evaluate('window.isAttacked')).toBeUndefined();
    expect(problems).toEqual([]);
  });
});
