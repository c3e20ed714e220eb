/** The pages of logins, without scripts, by the rules of WCAG 2.2 AA, in both colour schemes and at two widths. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { startServer, type TestServer } from '../../../../test/harness.ts';
import { authorizeUrl, seed } from '../../../../test/server/oauth/applications.ts';
import { password } from '../../../../test/server/operations/user-identities/login-fixtures.ts';
import { findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser, sharedBrowser } from '../harness/browser.ts';

describe.runIf(hasBrowser && isFullRun)('the pages of a login', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ seed });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function open(url: string) {
    const context = await (await sharedBrowser()).newContext();
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  test('password, recovery and new password', async () => {
    const page = await open(authorizeUrl(server));
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByLabel('User name').fill('alice');
    await page.getByRole('button', { name: 'Send a code' }).click();
    await page.getByText('Test: the code is').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.context().close();
  });

  test('the code of a device, and its confirmation', async () => {
    const response = await fetch(`${server.url}/oauth2/device_authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'tv', scope: 'openid profile' }),
    });
    const { verification_uri_complete: url } = (await response.json()) as Record<string, string>;
    const page = await open(url ?? '');
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByText('Allow Living room?').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('You are logged in to').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.context().close();
  });
});
