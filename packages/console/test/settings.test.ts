/** The page of settings in a real browser: what the server reports, never a secret, and links that work everywhere. */
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { findStateProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { openConsole } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const markup = '<img src=x onerror=alert(1)>';
const secret = 'password-only-for-tests';

describe.skipIf(!hasBrowser)('the settings', () => {
  const { open, read, send, service } = useConsole({
    isShared: true,
    server: {
      flags: { 'mainframe-password-rule': markup, 'request-log-size': '77' },
      environment: { IAM_SMTP_URL: `smtp://user:${secret}@127.0.0.1:2525` },
    },
  });

  test('are those of the server, without secrets, and values are text', async () => {
    const { page, problems } = await open('settings');
    const table = page.getByRole('table', { name: 'Effective settings' });
    await table.getByRole('row', { name: '--request-log-size 77' }).waitFor();
    await table.getByText(markup).waitFor();
    const body = await read('/_iam/settings');
    expect(await table.getByRole('row').count()).toBe(Object.keys(body as object).length + 1);
    expect(await page.content()).not.toContain(secret);
    await page.getByText('The same from a terminal').click();
    await page.getByText('iam api GET /_iam/settings').waitFor();
    await page.getByText(`curl ${service().url}/_iam/settings`).waitFor();
    expect([...(await findStateProblems(page)), ...problems]).toEqual([]);
  });

  test.runIf(isFullRun)('are found by name and value, with the search in the address', async () => {
    const { page, problems } = await open('settings');
    await page.getByText('--request-log-size').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('LOG-SIZE');
    await page.getByText(/^1 of \d+ settings$/).waitFor();
    // The first letters find this one, too.
    await expect.poll(() => new URL(page.url()).search).toBe('?search=LOG-SIZE');
    await page.getByLabel('Name or value').fill('IMG SRC');
    await page.getByRole('row', { name: '--mainframe-password-rule' }).waitFor();
    await page.getByLabel('Name or value').fill('missing');
    await page.getByText('No settings match').waitFor();
    expect([...(await findStateProblems(page)), ...problems]).toEqual([]);
  });

  test('show health, version and store', async () => {
    const { page, problems } = await open('settings');
    const status = page.getByRole('table', { name: 'Status' });
    const body = await read('/');
    await status.getByRole('row', { name: `Version ${(body as { version: string }).version}` }).waitFor();
    for (const row of ['Health ok', 'Readiness ready', 'Store writable'])
      await status.getByRole('row', { name: row }).waitFor();
    expect(problems).toEqual([]);
  });

  test.each([
    ['the server', ''],
    ['a sandbox', '/s/checkout'],
  ])('link to the documents of %s', async (_title, prefix) => {
    const { page, problems } =
      prefix === '' ? await open('settings') : await openConsole(service().url + prefix, { path: 'settings' });
    await page.getByText('--request-log-size').waitFor();
    const links = await page.getByRole('region', { name: 'Documents' }).getByRole('link').all();
    const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(paths).toHaveLength(7);
    for (const path of paths) {
      expect(path).toMatch(new RegExp(`^${prefix}/(_iam|openapi|metrics|\\.well-known)`));
      expect((await send(String(path))).status).toBe(200);
    }
    expect(problems).toEqual([]);
  });

  test('show a store that rejects writes, and a server that responds with an error', async () => {
    // Another document: the page of an earlier test has read the settings.
    const { page } = await open('inbox', { isReloaded: true });
    await page.route('**/readyz', (route) =>
      route.fulfill({ status: 503, json: { status: 'not ready', store: 'read-only' } }),
    );
    await page.route('**/_iam/settings', (route) =>
      route.fulfill({ status: 500, json: [{ code: 'INTERNAL', message: 'Unexpected error.' }] }),
    );
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('row', { name: 'Readiness not ready' }).waitFor();
    await page.getByRole('row', { name: 'Store read-only' }).waitFor();
    await page.getByRole('alert').getByText('INTERNAL').waitFor();
    expect(await findStateProblems(page)).toEqual([]);
  });
});
