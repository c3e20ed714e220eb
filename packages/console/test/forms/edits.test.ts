/** All edits in a real browser: none overwrites what another caller changed meanwhile. */
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient } from '../../../../test/harness.ts';
import { mergeFields } from '../../src/components/edit/merge-fields.ts';
import { findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { chooseFound } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const [keyId, holding, factorId] = ['0', '1', '2'].map((digit) => `64b0c0ffee0000000000000${digit}`) as [
  string,
  string,
  string,
];
const seed: SeedDocument = {
  users: [
    {
      userId: 'alice',
      userEmail: 'alice@example.com',
      factors: [{ id: factorId, contactType: 'EMAIL', email: 'work@example.org', tags: ['work'] }],
    },
  ],
  clients: [
    { clientId: 'billing', clientSecret: 'only-for-tests', appId: 'billing app', scope: ['read'] },
    { clientId: 'orders', clientSecret: 'only-for-tests', appId: 'orders app' },
  ],
  apiKeys: [{ apiKeyId: keyId, appId: 'exports', clientId: 'billing' }],
  businesses: ['one', 'two', 'three'].map((businessId) => ({ businessId, businessName: `shop ${businessId}` })),
  corporateGroups: [{ corporateGroupId: holding, corporateGroupName: 'holding', businesses: ['one'] }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'] }],
} as SeedDocument;

interface Edit {
  /** As in the documents of the APIs. */
  readonly operation: string;
  readonly page: string;
  readonly button: string;
  type(dialog: Locator): Promise<void>;
  /** The change of the other caller. */
  readonly other: readonly [path: string, body: object, method?: string];
  /** What the other caller changed, as the form names it. */
  readonly says: string;
  /** Where both changes are then. */
  readonly result: readonly [path: string, fields: object];
}

async function addTag(dialog: Locator, label: string, text: string): Promise<void> {
  await dialog.getByRole('combobox', { name: label }).fill(text);
  await dialog.page().keyboard.press('Enter');
}

const edits: readonly Edit[] = [
  {
    operation: 'PATCH /clients/{id}',
    page: 'clients/billing',
    button: 'Edit',
    type: (dialog) => addTag(dialog, 'Scopes', 'write'),
    other: ['/_iam/clients/billing', { scope: ['read', 'export'] }],
    says: 'scope',
    result: ['/_iam/clients/billing', { scope: ['read', 'export', 'write'] }],
  },
  {
    operation: 'PATCH /user-identities/{id}',
    page: 'users/alice',
    button: 'Edit',
    type: (dialog) => dialog.getByLabel('Lead').check(),
    other: ['/security/iam/v1/user-identities/alice', { userName: 'alice-renamed' }],
    says: 'userName',
    result: ['/_iam/users/alice', { userName: 'alice-renamed', lead: true }],
  },
  {
    operation: 'PATCH /user-identities/{id}/authentication-factors/{factorId}',
    page: 'users/alice',
    button: 'Edit w***@example.org',
    type: (dialog) => addTag(dialog, 'Tags', 'late'),
    other: [`/security/iam/v1/user-identities/alice/authentication-factors/${factorId}`, { tags: ['work', 'early'] }],
    says: 'tags',
    result: [`/_iam/users/alice/factors/${factorId}`, { tags: ['work', 'early', 'late'] }],
  },
  {
    operation: 'PUT /api-key/{apiKeyId}',
    page: `api-keys/${keyId}`,
    button: 'Edit',
    type: (dialog) => dialog.getByLabel('Application').fill('reports'),
    other: [`/security/iam/v1/api-key/${keyId}`, { appId: 'exports', clientId: 'orders' }, 'PUT'],
    says: 'clientId',
    result: [`/_iam/api-keys/${keyId}`, { appId: 'reports', clientId: 'orders' }],
  },
  {
    operation: 'PUT /corporate-groups/{corporateGroupId}',
    page: `corporate-groups/${holding}`,
    button: 'Edit',
    type: (dialog) => dialog.getByLabel('Name').fill('renamed'),
    other: [
      `/security/iam/v1/corporate-groups/${holding}`,
      { corporateGroupName: 'holding', businesses: [{ businessId: 'one' }, { businessId: 'two' }] },
      'PUT',
    ],
    says: 'businesses',
    result: [
      `/security/iam/v1/corporate-groups/${holding}`,
      { corporateGroupName: 'renamed', businesses: [{ businessId: 'one' }, { businessId: 'two' }] },
    ],
  },
  {
    operation: 'PUT /groups/{groupId}',
    page: 'groups/ops',
    button: 'Edit',
    type: (dialog) => addTag(dialog, 'Roles', 'ROLLBACK'),
    other: ['/security/iam/v1/groups/ops', { groupName: 'ops', roles: ['DEPLOY', 'RESTART'] }, 'PUT'],
    says: 'roles',
    result: ['/security/iam/v1/groups/ops', { roles: ['DEPLOY', 'RESTART', 'ROLLBACK'] }],
  },
];

describe('a form that takes over what others changed', () => {
  test('keeps what was typed, and merges lists', () => {
    const before = { name: 'a', kind: 'x', roles: ['A', 'B'] };
    const typed = { name: 'b', kind: 'x', roles: ['B', 'C'] };
    const current = { name: 'c', kind: 'y', roles: ['A', 'B', 'D'] };
    expect(mergeFields(before, typed, current)).toEqual({ name: 'b', kind: 'y', roles: ['B', 'D', 'C'] });
  });
});

describe.runIf(hasBrowser && isFullRun)('an edit', () => {
  const { open, send } = useConsole({ seed });
  const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

  /** The page hears of a change when it is rejected. */
  async function openWithoutEvents(path: string) {
    const { page } = await open('left');
    await page.route(/_iam\/events/, (route) => route.abort());
    return await open(path, { isReloaded: true });
  }

  async function change([path, body, method = 'PATCH']: Edit['other']): Promise<void> {
    const { status } = await send(path, { method, headers, body });
    expect([200, 204]).toContain(status);
  }

  test('exists here for each operation with a version', async () => {
    const documents = await Promise.all(
      ['/_iam/openapi.json', '/openapi.json'].map(async (path) => (await send(path)).body),
    );
    const versioned = documents.flatMap((document) =>
      Object.entries((document as { paths: Record<string, Record<string, { parameters?: { name: string }[] }>> }).paths)
        .flatMap(([path, operations]) =>
          Object.entries(operations)
            .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'If-Match'))
            .map(([method]) => `${method.toUpperCase()} ${path}`),
        )
        .filter((operation) => !operation.startsWith('DELETE')),
    );
    expect(edits.map(({ operation }) => operation).sort()).toEqual([...new Set(versioned)].sort());
  });

  test.each(edits)('$operation says what another caller changed, and takes it over', async (edit) => {
    const { page, dialog } = await openWithoutEvents(edit.page);
    await page.getByRole('button', { name: edit.button, exact: true }).click();
    await edit.type(dialog);
    await change(edit.other);
    const save = dialog.getByRole('button', { name: 'Save' });
    await save.click();
    const notice = dialog.getByRole('alert', { name: 'This was changed meanwhile' });
    await notice.getByText(edit.says, { exact: true }).waitFor();
    await notice.getByText('The last change').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await notice.getByRole('button', { name: 'Take it over and keep my changes' }).click();
    await notice.waitFor({ state: 'hidden' });
    await save.click();
    await dialog.waitFor({ state: 'hidden' });
    const [path, fields] = edit.result;
    expect((await send(path, { headers })).body).toMatchObject(fields);
  });

  test('of one business of a corporate group is confirmed again', async () => {
    const { page, dialog } = await openWithoutEvents(`corporate-groups/${holding}`);
    await page.getByRole('button', { name: 'Add a business' }).click();
    await chooseFound(dialog.getByRole('combobox', { name: 'Business' }), 'three', /shop three/);
    const path = `/security/iam/v1/corporate-groups/${holding}`;
    await change([path, { corporateGroupName: 'holding', businesses: [{ businessId: 'two' }] }, 'PUT']);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('The current version was read').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { businesses } = (await send(path, { headers })).body as { businesses: { businessId: string }[] };
    expect(businesses.map(({ businessId }) => businessId).sort()).toEqual(['three', 'two']);
  });
});
