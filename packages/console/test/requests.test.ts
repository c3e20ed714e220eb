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
  groups: [{ groupName: 'administrators', roles: ['ADMIN'] }],
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
    await page.getByText('1 in all').waitFor();
    expect(await rowTexts(page)).toEqual([expect.stringContaining('ROLE_MISSING')]);
    await page.getByRole('combobox', { name: 'Error code' }).fill('ROLE_MISSING');
    await page.getByRole('option', { name: 'ROLE_MISSING' }).click();
    await page.getByRole('combobox', { name: 'Operation' }).fill('groups.create');
    await page.getByRole('option', { name: 'groups.create', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Caller').fill('plain-client');
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ status: '4xx', error: 'ROLE_MISSING', operation: 'groups.create', caller: 'plain-client' });
    await page.getByText('1 in all').waitFor();
    await page.getByLabel('Caller').fill('unknown');
    await page.getByText('No request matches').waitFor();
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('with a filter that the server rejects show its error', async () => {
    const { page } = await open('requests?status=wrong');
    await page.getByRole('alert').getByText('status must be a status').waitFor();
  });

  test('explain why they were rejected, and which group grants the missing role', async () => {
    const { page, problems } = await open(`requests/${rejected}`);
    const dialog = page.getByRole('dialog', { name: 'Request' });
    const nearest = dialog.getByRole('alert', { name: 'The nearest way in' });
    await nearest.waitFor();
    const why = (await read(`/_iam/requests/${rejected}/why`)) as {
      requires: string;
      missing: string[];
    };
    for (const missing of why.missing) await nearest.getByText(missing, { exact: true }).first().waitFor();
    await dialog.getByText(why.requires).waitFor();
    await dialog.getByText('basic, accepted').waitFor();
    await nearest.getByRole('link', { name: 'administrators' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'administrators' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('open by the keyboard, have an address of their own, and return the focus', async () => {
    const { page, problems } = await open('requests?status=201');
    const row = page.getByRole('button', { name: 'groups.create' });
    await row.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Request' });
    await dialog.getByText('The request was accepted.').waitFor();
    expect(page.url()).toBe(`${service().url}/_iam/console/requests/${created}?status=201`);
    // Markup of callers is text.
    await dialog.getByLabel('Request body').getByText(markup).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(page.url()).toBe(`${service().url}/_iam/console/requests?status=201`);
    await expect.poll(() => row.evaluate('document.activeElement.textContent')).toBe('groups.create');
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('are copied as a call of curl without secrets', async () => {
    const { page, problems } = await open(`requests/${created}`);
    await page.getByText('basic, accepted').waitFor();
    expect(await copyWith(page.getByRole('button', { name: 'Copy as curl' }))).toBe(
      `curl -X POST -H 'Content-Type: application/json' -d '{"groupName":"${markup}"}' ${service().url}${groups} -u ${adminClient.clientId}`,
    );
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('lead to all requests of the caller', async () => {
    const { page, problems } = await open(`requests/${rejected}`);
    await page.getByRole('link', { name: 'All requests of the caller' }).click();
    await page.getByText('1 in all').waitFor();
    expect(new URL(page.url()).search).toBe('?caller=plain-client');
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('that the log does not contain any more say so', async () => {
    const { page } = await open('requests/no-such-request');
    await page.getByText('This request is not in the log any more').waitFor();
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

describe.skipIf(!hasBrowser)('new requests', () => {
  const { open, send } = useConsole();

  test('appear as they are sent', async () => {
    const { page, problems } = await open('requests?operation=groups.get');
    await page.getByText('No request matches').waitFor();
    await send(`${groups}/no-such-group`);
    await page.getByRole('button', { name: 'groups.get' }).waitFor();
    expect(problems).toEqual([]);
  });
});
