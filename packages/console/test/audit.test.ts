/** The audit log in a real browser: who changed what, and the history of an object. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../test/effort.ts';
import { adminClient } from '../../../test/harness.ts';
import { findViewProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

const seed: SeedDocument = {
  users: [{ userId: 'alice', userName: 'alice', userEmail: 'alice@example.com' }],
  groups: [{ groupName: 'ops', roles: ['VIEW'] }],
};

describe.skipIf(!hasBrowser || !isFullRun)('the audit log', () => {
  const { open, send } = useConsole({ seed });
  const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
  const change = (method: string, path: string, body?: unknown) =>
    send(`/security/iam/v1${path}`, { method, headers, body });

  test('says in two clicks who changed what, and what it was before', async () => {
    await change('POST', '/groups/ops/role', { roleName: 'DEPLOY' });
    const { page, problems } = await open();
    await page.getByRole('link', { name: 'Audit' }).click();
    const events = page.getByRole('region', { name: 'Audit events' });
    const row = events.getByRole('row').filter({ hasText: 'groups.add-role' });
    await row.filter({ hasText: 'iam-admin' }).filter({ hasText: 'ops' }).filter({ hasText: 'roles' }).waitFor();
    await row.getByRole('button', { name: 'groups.add-role' }).click();
    const panel = page.getByRole('region', { name: 'Audit event', exact: true });
    expect(await panel.getByRole('row', { name: /^roles/ }).innerText()).toMatch(/\+ DEPLOY/);
    expect(await findViewProblems(page)).toEqual([]);
    await panel.getByRole('link', { name: /-/ }).last().click();
    await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a change as it happens, in the list and in the history of the object', async () => {
    const { page, problems } = await open('groups/ops');
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('No change is in the memory').waitFor();
    await change('POST', '/user-accesses/ops/user-accounts', { userId: 'alice' });
    await history.getByText('user-accesses.add-user').waitFor();
    expect(await history.innerText()).toMatch(/alice/);
    await history.getByRole('link', { name: 'All events' }).click();
    await page.getByText('1 in all').waitFor();
    expect(new URL(page.url()).search).toMatch(/entity=group&object=\w+&event=all/);
    await page.getByLabel('Object').fill('');
    await expect.poll(() => new URL(page.url()).search).toBe('?event=all');
    expect(problems).toEqual([]);
  });
});
