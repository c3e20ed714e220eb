/** Clients and API keys in a real browser, each write with its effect on the server. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../test/effort.ts';
import { adminClient } from '../../../test/harness.ts';
import { shortenId } from '../src/components/subject-id.ts';
import { findViewProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { chooseFound, copyWith } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const markup = '<img src=x onerror=alert(1)>';
const seed: SeedDocument = {
  users: [{ userId: 'alice' }],
  clients: [
    { clientId: 'billing', clientSecret: 'only-for-tests', appId: markup, serviceAccountId: 'billing-service' },
    { clientId: 'orders', clientSecret: 'only-for-tests', serviceAccountId: 'orders-service' },
    { clientId: 'reports', clientSecret: 'only-for-tests' },
    { clientId: 'till', clientSecret: 'only-for-tests' },
    { clientId: 'rotated', clientSecret: 'only-for-tests' },
    { clientId: 'keyed', clientSecret: 'only-for-tests', appId: 'keyed-app' },
    {
      clientId: 'edited',
      clientSecret: 'only-for-tests',
      scope: ['reports.read'],
      organizationId: 'example-org',
      businessUnitId: 'retail',
    },
  ],
  groups: [{ groupName: `g ${markup}`, roles: ['DEPLOY'], services: ['billing-service', 'orders-service'] }],
};

describe.skipIf(!hasBrowser)('clients and API keys', () => {
  const { command, open, read, send } = useConsole({ seed, isShared: true });

  async function makeApiKey(clientId: string) {
    const headers = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };
    const { body } = await send('/security/iam/v1/api-key', {
      method: 'POST',
      headers,
      body: { appId: markup, clientId },
    });
    return body as { apiKeyId: string; apiKey: string };
  }

  describe('a client', () => {
    test('is found by its application, and shows its groups, roles and keys', async () => {
      const { apiKeyId } = await makeApiKey('billing');
      const { page, problems } = await open('clients');
      await page.getByLabel('Client id, service account or application').fill('IMG SRC');
      await page.getByText(/^1 of \d/).waitFor();
      await page.getByRole('button', { name: 'billing' }).click();
      await page.getByRole('heading', { level: 1, name: 'billing' }).waitFor();
      await page.getByRole('link', { name: `g ${markup}` }).waitFor();
      await page.getByText('DEPLOY', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'API keys', exact: true }).last().click();
      await page.getByRole('listitem').getByRole('link', { name: markup, exact: true }).click();
      await page.getByRole('heading', { name: `API key of ${markup}` }).waitFor();
      await page.getByRole('button', { name: `Copy the id ${apiKeyId}` }).waitFor();
      await page.goBack();
      await page.goBack();
      await page.goBack();
      await page.getByText(/^1 of \d/).waitFor();
      expect(problems).toEqual([]);
    });

    test('is created; its secret is shown once, works, and is not kept by the page', async () => {
      const { page, dialog, problems } = await open('clients');
      await page.getByRole('button', { name: 'Create a client' }).click();
      await dialog.getByLabel('Application').fill('invoices');
      await dialog.getByLabel('Service account').fill('not an id!');
      await dialog.getByRole('button', { name: 'Create the client' }).click();
      await dialog.locator('input[aria-invalid=true]:focus').waitFor();
      expect(await dialog.getByLabel('Application').inputValue()).toBe('invoices');
      await dialog.getByLabel('Service account').fill('invoices-service');
      await dialog.getByRole('combobox', { name: 'Scopes' }).fill('invoices.read');
      await page.keyboard.press('Enter');
      await dialog.getByText('The same from a terminal').click();
      await dialog
        .getByText(
          command('clients create --app-id invoices --service-account-id invoices-service --scope invoices.read'),
        )
        .waitFor();
      await dialog.getByRole('button', { name: 'Create the client' }).click();
      await dialog.getByText('it is not shown again').waitFor();
      expect(await findViewProblems(page)).toEqual([]);
      const secret = await copyWith(dialog.getByRole('button', { name: 'Copy', exact: true }));
      expect(secret.length).toBeGreaterThan(20);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.waitForURL(/\/clients\/[^/?]+$/);
      const clientId = new URL(page.url()).pathname.split('/').pop() ?? '';
      const login = await send('/security/iam/v1/client-identities/login', {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
        body: {},
      });
      expect(login.status).toBe(200);
      expect(await send(`/_iam/clients/${clientId}`)).toMatchObject({
        body: { appId: 'invoices', serviceAccountId: 'invoices-service', scope: ['invoices.read'] },
      });
      const kept = await page.evaluate(
        'JSON.stringify([location.href, history.state, document.title, document.body.innerHTML, localStorage, sessionStorage])',
      );
      expect(String(kept)).not.toContain(secret);
      expect(problems.filter((problem) => !/status of 4/.test(problem))).toEqual([]);
    });

    describe.runIf(isFullRun)('on its page', () => {
      const logIn = async (clientId: string, secret: string) => {
        const headers = { Authorization: `Basic ${btoa(`${clientId}:${secret}`)}` };
        const path = '/security/iam/v1/client-identities/login';
        return (await send(path, { method: 'POST', headers, body: {} })).status;
      };

      test('is edited: only what was changed is sent', async () => {
        const { page, dialog, problems } = await open('clients/edited');
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await dialog.getByText('Nothing is changed yet').first().waitFor();
        await dialog.getByLabel('Application').fill('renamed');
        await dialog.getByLabel('Service account').fill('edited-service');
        await dialog.getByRole('combobox', { name: 'Redirect URIs', exact: true }).fill('no uri');
        await page.keyboard.press('Enter');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.locator('input[aria-invalid=true]:focus[data-path=redirectURIs]').waitFor();
        await page.keyboard.press('Backspace');
        await dialog
          .getByRole('combobox', { name: 'Redirect URIs', exact: true })
          .fill('https://app.example.com/callback');
        await page.keyboard.press('Enter');
        await dialog.getByRole('combobox', { name: 'Scopes' }).press('Backspace');
        await dialog.getByLabel('Organization').fill('');
        await dialog.getByLabel('Browser logins require PKCE').uncheck();
        await dialog.getByText('The same from a terminal').click();
        const options =
          '--app-id=renamed --service-account-id=edited-service --set=scope= --redirect-uri=https://app.example.com/callback --require-pkce=false --set=organizationId=';
        await dialog.getByText(command(`clients update ${options} edited`), { exact: true }).waitFor();
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { level: 1, name: 'edited-service' }).waitFor();
        const { body } = await send('/_iam/clients/edited');
        expect(body).toMatchObject({
          appId: 'renamed',
          serviceAccountId: 'edited-service',
          scope: [],
          redirectURIs: ['https://app.example.com/callback'],
          requirePkce: false,
          businessUnitId: 'retail',
        });
        expect(body).not.toHaveProperty('organizationId');
        expect(problems.filter((problem) => !/status of 4/.test(problem))).toEqual([]);
      });

      test('gets another secret; the previous one stays valid for the chosen time, or is rejected', async () => {
        const { page, dialog, problems } = await open('clients/rotated');
        const rotate = async (overlap: string) => {
          await page.getByRole('button', { name: 'Rotate the secret' }).click();
          await dialog.getByLabel('The previous secret stays valid for').selectOption(overlap);
          await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
          const secret = await copyWith(dialog.getByRole('button', { name: 'Copy', exact: true }));
          await dialog.getByRole('button', { name: 'Close' }).last().click();
          return secret;
        };
        const second = await rotate('1 hour');
        expect([await logIn('rotated', 'only-for-tests'), await logIn('rotated', second)]).toEqual([200, 200]);
        await page.getByText('Previous secret until').waitFor();
        const third = await rotate('Not at all');
        await page.getByText('Previous secret until').waitFor({ state: 'hidden' });
        expect([await logIn('rotated', second), await logIn('rotated', third)]).toEqual([401, 200]);
        expect(problems).toEqual([]);
      });

      test('gets an API key', async () => {
        const { page, dialog, problems } = await open('clients/keyed?tab=keys');
        await page.getByRole('button', { name: 'Create an API key' }).click();
        expect(await dialog.getByLabel('Application').inputValue()).toBe('keyed-app');
        await dialog.getByLabel('Application').fill('exporter');
        await dialog.getByRole('button', { name: 'Create the API key' }).click();
        const apiKey = await copyWith(dialog.getByRole('button', { name: 'Copy', exact: true }));
        await dialog.getByRole('button', { name: 'Close' }).last().click();
        await page.getByRole('region', { name: 'API keys' }).getByRole('link', { name: 'exporter' }).waitFor();
        await page.getByRole('heading', { level: 1, name: 'keyed' }).waitFor();
        expect((await send('/security/iam/v1/groups', { headers: { 'X-Api-Key': apiKey } })).status).toBe(403);
        expect((await send('/_iam/api-keys?search=keyed')).body).toMatchObject([
          { appId: 'exporter', clientId: 'keyed' },
        ]);
        expect(problems).toEqual([]);
      });
    });

    test('is deleted after a confirmation that names its groups and keys', async () => {
      const { apiKeyId, apiKey } = await makeApiKey('orders');
      const { page, dialog, problems } = await open('clients/orders');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByText(`g ${markup}`).waitFor();
      await dialog.getByText(shortenId(apiKeyId)).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect((await send('/_iam/clients/orders')).status).toBe(200);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByRole('button', { name: 'Delete the client' }).click();
      await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
      expect((await send('/_iam/clients/orders')).status).toBe(404);
      expect((await send(`/_iam/api-keys/${apiKeyId}`)).status).toBe(404);
      const { status } = await send('/security/iam/v1/groups', { headers: { 'X-Api-Key': apiKey } });
      expect(status).toBe(401);
      expect(problems).toEqual([]);
    });
  });

  describe('an API key', () => {
    test('is created for a client; it is shown once and works', async () => {
      const { page, dialog, problems } = await open('api-keys');
      await page.getByRole('button', { name: 'Create an API key' }).click();
      await dialog.getByLabel('Application').fill('exports');
      await chooseFound(dialog.getByRole('combobox', { name: 'Client' }), 'repo', /reports/);
      await dialog.getByRole('button', { name: 'Create the API key' }).click();
      const apiKey = await copyWith(dialog.getByRole('button', { name: 'Copy', exact: true }));
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('heading', { level: 1, name: 'API key of exports' }).waitFor();
      const { body } = await send('/_iam/requests?caller=reports');
      expect(body).toEqual([]);
      expect((await send('/security/iam/v1/groups', { headers: { 'X-Api-Key': apiKey } })).status).toBe(403);
      expect((await send('/_iam/requests?caller=reports')).body).toHaveLength(1);
      expect(problems).toEqual([]);
    });

    test.runIf(isFullRun)('is assigned to another application, and rotated', async () => {
      const { apiKeyId, apiKey } = await makeApiKey('till');
      const { page, dialog, problems } = await open(`api-keys/${apiKeyId}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await dialog.getByLabel('Application').fill('moved');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'API key of moved' }).waitFor();
      expect((await send(`/_iam/api-keys/${apiKeyId}`)).body).toMatchObject({ appId: 'moved', clientId: 'till' });
      const statusOf = async (key: string) =>
        (await send('/security/iam/v1/groups', { headers: { 'X-Api-Key': key } })).status;
      const rotate = async (overlap: string, which?: string) => {
        await page.getByRole('button', { name: 'Rotate the key' }).click();
        await dialog.getByLabel('The previous key stays valid for').selectOption(overlap);
        if (which !== undefined) await dialog.getByLabel('Which key stays valid').selectOption(which);
        expect([...(await findViewProblems(page)), ...problems]).toEqual([]);
        await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
        const rotated = await copyWith(dialog.getByRole('button', { name: 'Copy', exact: true }));
        await dialog.getByRole('button', { name: 'Close' }).last().click();
        return rotated;
      };
      const { hint } = (await read(`/_iam/api-keys/${apiKeyId}`)) as { hint: string };
      const second = await rotate('1 hour');
      await page.getByText(`ends with ${hint}`).waitFor();
      expect([await statusOf(apiKey), await statusOf(second)]).toEqual([403, 403]);
      const third = await rotate('7 days', 'oldest');
      expect([await statusOf(apiKey), await statusOf(second), await statusOf(third)]).toEqual([403, 401, 403]);
      const last = await rotate('Not at all');
      expect([await statusOf(apiKey), await statusOf(third), await statusOf(last)]).toEqual([401, 401, 403]);
      expect(problems).toEqual([]);
    });

    test('is deleted after a confirmation', async () => {
      const { apiKeyId } = await makeApiKey('till');
      const { page, dialog, problems } = await open(`api-keys/${apiKeyId}`);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByText(markup).first().waitFor();
      await dialog.getByRole('button', { name: 'Delete the API key' }).click();
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
      expect((await send(`/_iam/api-keys/${apiKeyId}`)).status).toBe(404);
      expect(problems).toEqual([]);
    });

    test('that does not exist is explained', async () => {
      const { page } = await open('api-keys/missing');
      await page.getByText('API_KEY_NOT_FOUND').waitFor();
    });
  });

  describe('the caller of a request', () => {
    test.runIf(isFullRun)('is opened, whether it is a client or a user', async () => {
      const { apiKey } = await makeApiKey('till');
      await send('/security/iam/v1/groups', { headers: { 'X-Api-Key': apiKey } });
      const { body } = await send('/_iam/sessions', { method: 'POST', body: { userId: 'alice' } });
      const { accessToken } = body as { accessToken: string };
      await send('/security/iam/v1/groups', { headers: { Authorization: `Bearer ${accessToken}` } });
      for (const [caller, heading] of [
        ['till', 'till'],
        ['alice', 'alice'],
      ] as const) {
        const { page, problems } = await open(`requests?caller=${caller}`);
        await page.getByRole('button', { name: 'groups.list' }).first().click();
        await page.getByRole('link', { name: 'Open the caller' }).click();
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        expect(problems).toEqual([]);
      }
    });
  });

  describe.runIf(isFullRun)('the pages of clients and API keys', () => {
    test.each([
      ['clients/reports', 'Effective roles', undefined],
      ['clients/reports', 'its ids are never used again', 'Delete'],
      ['clients/reports', 'Of its tokens, besides the issuer', 'Edit'],
      ['clients/reports', 'Deploy the new secret in that time', 'Rotate the secret'],
      ['clients', 'Redirect URI', 'Create a client'],
      ['api-keys', 'Whose rights the key has', 'Create an API key'],
    ])('%s: %s', async (path, ready, button) => {
      const { page, problems } = await open(path);
      if (button !== undefined) await page.getByRole('button', { name: button }).click();
      await page.getByText(ready).first().waitFor();
      expect([...(await findViewProblems(page)), ...problems]).toEqual([]);
    });

    test('of an API key', async () => {
      const { apiKeyId } = await makeApiKey('reports');
      const { page, dialog, problems } = await open(`api-keys/${apiKeyId}`);
      await page.getByText('Last used').waitFor();
      expect([...(await findViewProblems(page)), ...problems]).toEqual([]);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await dialog.getByLabel('Application').waitFor();
      expect([...(await findViewProblems(page)), ...problems]).toEqual([]);
    });
  });
});
