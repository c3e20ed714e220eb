/** The request log in a real browser: the list, its filters, one request and why it was rejected. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { adminClient, startServer, type TestServer } from '../../../test/harness.ts';
import { closeContexts, copyWith, hasBrowser, openConsole, sharedBrowser } from './console-page.ts';

const seed: SeedDocument = {
  groups: [{ groupName: 'administrators', roles: ['ADMIN'] }],
};
const groups = '/security/iam/v1/groups';
const markup = '<img src=x onerror=alert(1)>';

describe.skipIf(!hasBrowser)('the requests', () => {
  let server: TestServer;
  let browser: Browser;
  /** Ids of a rejected and a successful request. */
  let rejected: string;
  let created: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ seed }), sharedBrowser()]);
    const plain = await server.makeClient({ clientId: 'plain-client' });
    await send({ method: 'POST', path: groups, body: { groupName: 'refused' }, ...basic(plain) });
    rejected = await lastId();
    await send({ method: 'POST', path: groups, body: { groupName: markup }, ...basic(adminClient) });
    created = await lastId();
  });
  afterAll(async () => {
    await closeContexts(browser);
    await server?.[Symbol.asyncDispose]();
  });

  const basic = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
  });
  const open = (path: string) => openConsole(browser, server.url, { path });

  async function send({ path, body, headers, method }: SentRequest): Promise<Response> {
    return fetch(`${server.url}${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async function lastId(): Promise<string> {
    const [last] = (await (await fetch(`${server.url}/_iam/requests?limit=1`)).json()) as { id: string }[];
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

  test('with a filter that the server rejects show its error', async () => {
    const { page } = await open('requests?status=wrong');
    await page.getByRole('alert').getByText('status must be a status').waitFor();
  });

  test('appear as they are sent', async () => {
    const { page, problems } = await open('requests?operation=groups.get');
    await page.getByText('No request matches').waitFor();
    await send({ method: 'GET', path: `${groups}/no-such-group` });
    await page.getByRole('button', { name: 'groups.get' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('explain why they were rejected, and which group grants the missing role', async () => {
    const { page, problems } = await open(`requests/${rejected}`);
    const dialog = page.getByRole('dialog', { name: 'Request' });
    const nearest = dialog.getByRole('alert', { name: 'The nearest way in' });
    await nearest.waitFor();
    const why = (await (await fetch(`${server.url}/_iam/requests/${rejected}/why`)).json()) as {
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
    expect(new URL(page.url()).pathname).toBe(`/_iam/console/requests/${created}`);
    // Markup of callers is text.
    await dialog.getByLabel('Request body').getByText(markup).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/_iam/console/requests?status=201');
    await expect.poll(() => row.evaluate('document.activeElement.textContent')).toBe('groups.create');
    expect(problems).toEqual([]);
  });

  test('are copied as a call of curl without secrets', async () => {
    const { page, problems } = await open(`requests/${created}`);
    await page.getByText('basic, accepted').waitFor();
    expect(await copyWith(page.getByRole('button', { name: 'Copy as curl' }))).toBe(
      `curl -X POST -H 'Content-Type: application/json' -d '{"groupName":"${markup}"}' ${server.url}${groups} -u ${adminClient.clientId}`,
    );
    expect(problems).toEqual([]);
  });

  test('lead to all requests of the caller', async () => {
    const { page, problems } = await open(`requests/${rejected}`);
    await page.getByRole('link', { name: 'All requests of the caller' }).click();
    await page.getByText('1 in all').waitFor();
    expect(new URL(page.url()).search).toBe('?caller=plain-client');
    expect(problems).toEqual([]);
  });

  test('that the log does not contain any more say so', async () => {
    const { page } = await open('requests/no-such-request');
    await page.getByText('This request is not in the log any more').waitFor();
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}
