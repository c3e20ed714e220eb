/** Users, groups and clients change on the page when another caller changes them. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient } from '../../../../test/harness.ts';
import { hasBrowser } from '../harness/browser.ts';
import { useConsole } from '../harness/use-console.ts';

const seed = {
  users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }],
  groups: [
    { groupId: 'ops', groupName: 'operators', roles: ['VIEW'], users: ['ann'] },
    { groupId: 'old', groupName: 'old-timers', roles: ['VIEW'] },
  ],
};
const prefix = '/security/iam/v1';
const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

describe.skipIf(!hasBrowser || !isFullRun)('a page of objects', () => {
  const { open, send } = useConsole({ seed });
  const createUser = (userName: string) =>
    send('/_iam/users', { method: 'POST', body: { userName, userEmail: `${userName}@example.com` } });

  test('shows a new user, and a group without the one that was deleted', async () => {
    const { page, problems } = await open('users');
    const users = page.getByRole('region', { name: 'Users' });
    await users.getByText('ann', { exact: true }).waitFor();
    expect((await createUser('bob')).status).toBe(201);
    await users.getByText('bob', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Groups', exact: true }).click();
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.getByText('old-timers').waitFor();
    expect((await send(`${prefix}/groups/old`, { method: 'DELETE', headers })).status).toBe(204);
    await groups.getByText('old-timers').waitFor({ state: 'detached' });
    await groups.getByText('operators').waitFor();
    expect((await send('/_iam/state/reset', { method: 'POST' })).status).toBe(204);
    await groups.getByText('old-timers').waitFor();
    expect(problems).toEqual([]);
  });

  test('reads them at most once a second, however many change', async () => {
    const { page, problems } = await open('users');
    const count = page.getByRole('status').filter({ hasText: /^\d+ in all$/ });
    const before = Number.parseInt(await count.innerText(), 10);
    let reads = 0;
    page.on('request', (request) => {
      if (/_iam\/users\?limit=500/.test(request.url())) reads += 1;
    });
    const start = performance.now();
    const names = Array.from({ length: 200 }, (_, at) => `new-${at}`);
    for (const name of names) await createUser(name);
    await page.getByText(`${before + names.length} in all`).waitFor();
    expect(reads).toBeLessThanOrEqual((performance.now() - start) / 1000 + 2);
    expect(problems).toEqual([]);
  });

  test('keeps what is typed in a form, and says what changed', async () => {
    const { page, problems } = await open('users/ann');
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Login name').fill('anna');
    const body = { lead: true };
    expect((await send(`${prefix}/user-identities/ann`, { method: 'PATCH', headers, body })).status).toBe(204);
    await dialog.getByText('This was changed meanwhile').waitFor();
    expect(await dialog.getByLabel('Login name').inputValue()).toBe('anna');
    expect(problems).toEqual([]);
  });
});
