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
    expect(await panel.getByRole('definition').innerText()).toBe('DEPLOY');
    await panel.getByRole('insertion').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await panel.getByRole('link', { name: /-/ }).last().click();
    await page.getByRole('region', { name: 'Request', exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a change as it happens, in the list and in the history of the object', async () => {
    const { page, problems } = await open('groups/ops?tab=history');
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('No change is among the latest events').waitFor();
    await change('POST', '/user-accesses/ops/user-accounts', { userId: 'alice' });
    await history.getByText('user-accesses.add-user').waitFor();
    expect(await history.innerText()).toMatch(/alice/);
    await history.getByRole('link', { name: 'All events' }).click();
    await page.getByText('1 match').waitFor();
    expect(new URL(page.url()).search).toMatch(/entity=group&object=\w+&event=all/);
    await page.getByLabel('Object').fill('');
    await expect.poll(() => new URL(page.url()).search).toBe('?event=all');
    expect(problems).toEqual([]);
  });

  test('has the events of a time by the clock of the server', async () => {
    const clock = (set: string) => send('/_iam/clock', { method: 'PUT', body: { set, freeze: true } });
    await clock('2026-03-01T12:00:00Z');
    await change('POST', '/groups', { groupName: 'earlier' });
    await clock('2026-03-01T15:00:00Z');
    await change('POST', '/groups', { groupName: 'later' });
    const { page, problems } = await open('audit?operation=groups.create');
    const rows = page
      .getByRole('region', { name: 'Audit events' })
      .getByRole('row')
      .filter({ hasText: 'groups.create' });
    const expectGroups = async (...names: readonly string[]) =>
      expect
        .poll(async () => (await rows.allInnerTexts()).map((text) => /earlier|later/.exec(text)?.[0]))
        .toEqual(names);
    await expectGroups('later', 'earlier');
    await page.getByRole('button', { name: 'Time: any' }).click();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await expectGroups('later');
    expect(new URL(page.url()).searchParams.get('since')).toBe('2026-03-01T14:00:00Z');
    await page.getByRole('button', { name: 'Time: since 2026-03-01 14:00 UTC' }).click();
    await page.getByLabel('Since (UTC)').fill('');
    await page.getByLabel('Until (UTC)').fill('2026-03-01T12:30:00');
    await page.getByLabel('Until (UTC)').press('Enter');
    await expectGroups('earlier');
    expect(new URL(page.url()).search).toBe('?operation=groups.create&until=2026-03-01T12%3A30%3A00Z');
    await page.getByRole('button', { name: 'Time: until 2026-03-01 12:30 UTC' }).click();
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Any time' }).click();
    await expectGroups('later', 'earlier');
    expect(new URL(page.url()).search).toBe('?operation=groups.create');
    expect(problems).toEqual([]);
  });
});
