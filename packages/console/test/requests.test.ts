/** The request log in a real browser: the list, its filters, one request and why it was rejected. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../test/effort.ts';
import { adminClient } from '../../../test/harness.ts';
import { hasBrowser } from './harness/browser.ts';
import { copyWith } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const seed: SeedDocument = {
  groups: [
    { groupName: 'administrators', roles: ['ADMIN'], users: ['bob'] },
    { groupName: 'maintainers', roles: ['IAM_ADMIN_MAINTENANCE'] },
  ],
  users: [{ userId: 'alice' }, { userId: 'bob' }],
};
const groups = '/security/iam/v1/groups';
const markup = '<img src=x onerror=alert(1)>';

describe.skipIf(!hasBrowser)('the requests', () => {
  const { open, read, send, service } = useConsole({ seed, isShared: true });
  /** Ids of a rejected and a successful request. */
  let rejected: string;
  let created: string;
  beforeAll(async () => {
    const plain = await service().makeClient({ clientId: 'plain-client' });
    await send(groups, { method: 'POST', body: { groupName: 'refused' }, ...basic(plain) });
    rejected = await lastId();
    await send(groups, { method: 'POST', body: { groupName: markup }, ...basic(adminClient) });
    created = await lastId();
  });
  const basic = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
  });

  async function lastId(): Promise<string> {
    const [last] = (await read('/_iam/requests?limit=1')) as { id: string }[];
    return last?.id ?? '';
  }

  const rowTexts = async (page: Page) => page.locator('section[aria-label="Requests"] tbody tr').allTextContents();

  test('are filtered on the server, with the filters in the URL', async () => {
    const { page, problems } = await open('requests');
    await page.getByRole('button', { name: 'groups.create' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Status' }).fill('4xx');
    await page.getByRole('option', { name: '4xx' }).click();
    await page.getByText('1 match').waitFor();
    await expect.poll(() => rowTexts(page)).toEqual([expect.stringContaining('ROLE_MISSING')]);
    await page.getByRole('combobox', { name: 'Error code' }).fill('ROLE_MISSING');
    await page.getByRole('option', { name: 'ROLE_MISSING' }).click();
    await page.getByRole('combobox', { name: 'Operation' }).fill('groups.create');
    await page.getByRole('option', { name: 'groups.create', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Caller').fill('plain-client');
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ status: '4xx', error: 'ROLE_MISSING', operation: 'groups.create', caller: 'plain-client' });
    await page.getByText('1 match').waitFor();
    await page.getByLabel('Caller').fill('unknown');
    await page.getByText('No requests match').waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('with a filter that the server rejects show its error', async () => {
    const { page } = await open('requests?status=wrong');
    await page.getByRole('alert').getByText('status must be a status').waitFor();
  });

  test('explain why they were rejected, and which group grants the missing role', async () => {
    const { page, problems } = await open(`requests/${rejected}`);
    const panel = page.getByRole('region', { name: 'Request', exact: true });
    const nearest = panel.getByRole('alert', { name: 'The nearest way in' });
    await nearest.waitFor();
    const why = (await read(`/_iam/requests/${rejected}/why`)) as {
      requires: string;
      alternatives: string[][];
    };
    for (const names of why.alternatives) await nearest.getByText(names.join(', '), { exact: true }).waitFor();
    await panel.getByText(why.requires).waitFor();
    await panel.getByText('basic, accepted').waitFor();
    await nearest.getByRole('link', { name: 'administrators' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'administrators' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('open by the keyboard, have an address of their own, and return the focus', async () => {
    const { page, problems } = await open('requests?status=201');
    const row = page.getByRole('button', { name: 'groups.create' });
    await row.press('Enter');
    const panel = page.getByRole('region', { name: 'Request', exact: true });
    await panel.getByText('The request was accepted.').waitFor();
    expect(page.url()).toBe(`${service().url}/_iam/console/requests/${created}?status=201`);
    // Markup of callers is text.
    await panel.getByLabel('Request body').getByText(markup).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    expect(page.url()).toBe(`${service().url}/_iam/console/requests?status=201`);
    await expect.poll(() => row.evaluate('document.activeElement.textContent')).toBe('groups.create');
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are copied as a call of curl without secrets', async () => {
    const { page, problems } = await open(`requests/${created}`);
    await page.getByText('basic, accepted').waitFor();
    expect(await copyWith(page.getByRole('button', { name: 'Copy as curl' }))).toBe(
      `curl -X POST -u ${adminClient.clientId}:"$IAM_CLIENT_SECRET" -H 'Content-Type: application/json' --data-raw '{"groupName":"${markup}"}' ${service().url}${groups}`,
    );
    expect(problems).toEqual([]);
  });

  /** Sends a request as a new session of a user. @returns its id */
  async function sendAs(userId: string, path: string, body: unknown, level = 'AUTH-BASIC'): Promise<string> {
    const session = await send('/_iam/sessions', { method: 'POST', body: { userId, level } });
    const { accessToken } = session.body as { readonly accessToken: string };
    const headers = { Authorization: `Bearer ${accessToken}` };
    return String((await send(path, { method: 'POST', headers, body })).headers['x-request-id']);
  }

  test.runIf(isFullRun)('that lacked a role are sent again once their caller is in a group', async () => {
    const id = await sendAs('alice', groups, { groupName: 'cured' });
    const { page, problems } = await open(`requests/${id}`);
    await page.getByRole('button', { name: 'Send again as alice' }).click();
    await page.getByRole('status').getByText('Still refused: 403 ROLE_MISSING').waitFor();
    await page.getByRole('button', { name: 'Add alice to maintainers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add alice to maintainers' });
    await dialog.getByText('gains with the next token').getByText('IAM_ADMIN_MAINTENANCE').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Send again as alice' }).click();
    await page.getByRole('status').getByText('Now allowed: 201').waitFor();
    await page.getByRole('link', { name: 'Open the new request' }).click();
    await page.getByText('The request was accepted.').waitFor();
    expect(await read('/_iam/groups?search=cured')).toMatchObject([{ groupName: 'cured' }]);
    // The browser reports the first attempt.
    expect(problems).toEqual([expect.stringContaining('403')]);
  });

  test.runIf(isFullRun)(
    'that delete are confirmed before they are sent again, and their result is visible',
    async () => {
      const group = await send(groups, { method: 'POST', body: { groupName: 'kept' }, ...basic(adminClient) });
      const { groupId } = group.body as { readonly groupId: string };
      const plain = await service().makeClient({ clientId: 'deleting-client' });
      await send(`${groups}/${groupId}`, { method: 'DELETE', ...basic(plain) });
      const { page } = await open(`requests/${await lastId()}`);
      await page.getByRole('button', { name: /^Send again as/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('deletes or disables something').waitFor();
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      const result = page.getByRole('status').getByText('Still refused: 403');
      await result.waitFor();
      expect((await result.boundingBox())?.y).toBeLessThan(700);
    },
  );

  test.runIf(isFullRun)('that lacked the second factor are sent again after a login', async () => {
    const id = await sendAs('bob', '/security/iam/v1/client-identities', { appId: 'cured', scope: [] });
    const { page, problems } = await open(`requests/${id}`);
    await page.getByRole('button', { name: 'Sign in again at AUTH-MFA' }).click();
    await page.getByRole('status').getByText('Signed in at AUTH-MFA').waitFor();
    await page.getByRole('button', { name: 'Send again as bob' }).click();
    await page.getByRole('status').getByText('Now allowed: 201').waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are sent again with the values that the log does not contain', async () => {
    const body = { userName: 'carl', userEmail: 'carl@example.com', token: '000000' };
    await send('/security/iam/v1/user-identities', { method: 'POST', body, ...basic(adminClient) });
    const { page } = await open(`requests/${await lastId()}`);
    const { callerName } = (await read(`/_iam/requests/${await lastId()}`)) as { readonly callerName: string };
    const name = `Send again as ${callerName}`;
    await page.getByRole('button', { name }).click();
    const dialog = page.getByRole('dialog', { name });
    await dialog.getByLabel('token').fill('000001');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('status').getByText('Still refused: 4').waitFor();
    expect(await read(`/_iam/requests/${await lastId()}`)).toMatchObject({ body: { userName: 'carl' } });
  });

  test.runIf(isFullRun)('of an unknown caller are not sent again, and say why', async () => {
    await send(groups, { method: 'POST', body: {}, headers: { Authorization: 'Basic eDp5' } });
    const { page } = await open(`requests/${await lastId()}`);
    const button = page.getByRole('button', { name: 'Send again' });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await page.getByText('The server does not know who sent it.').waitFor();
    await page.getByLabel('Request body').getByText('{}').waitFor();
  });

  test.runIf(isFullRun)('of the console are hidden behind a switch', async () => {
    const { page } = await open('corporate-groups/missing');
    await page.getByText('CORPORATE_GROUP_NOT_FOUND').first().waitFor();
    await open('requests?operation=corporate-groups.get');
    await page.getByText('No requests match').waitFor();
    await page.getByRole('button', { name: 'View' }).click();
    await page.getByRole('menuitemcheckbox', { name: "Show the console's own" }).click();
    await page.getByText('by the console').first().waitFor();
    expect(new URL(page.url()).searchParams.get('console')).toBe('true');
  });

  test.runIf(isFullRun)('lead to all requests of the caller', async () => {
    const { page, problems } = await open(`requests/${rejected}`);
    await page.getByRole('link', { name: 'All requests of the caller' }).click();
    await page.getByText('1 match').waitFor();
    expect(new URL(page.url()).search).toBe('?caller=plain-client');
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('that the log does not contain any more say so', async () => {
    const { page } = await open('requests/no-such-request');
    await page.getByText('This request is not in the log any more').waitFor();
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.getByText('This request is not in the log any more').waitFor({ state: 'hidden' });
  });
});

describe.skipIf(!hasBrowser)('new requests', () => {
  const { open, send } = useConsole();

  test('appear as they are sent', async () => {
    const { page, problems } = await open('requests?operation=groups.get');
    await page.getByText('No requests match').waitFor();
    await send(`${groups}/no-such-group`);
    await page.getByRole('button', { name: 'groups.get' }).waitFor();
    expect(problems).toEqual([]);
  });
});
