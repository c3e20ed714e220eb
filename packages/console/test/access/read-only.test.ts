/** A read-only administrator in the console: lists without codes, and no action. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { faultPresetNames, formatPreset } from '../../../../src/contract/testing/fault-effects.ts';
import type { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient } from '../../../../test/harness.ts';
import { findStateProblems, findViewProblems } from '../harness/axe-violations.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openClock, openConsole, openReset } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';
import { type ClientSecret, listDisabledButtons, logInAsClient } from './log-in.ts';

const seed: SeedDocument = {
  users: [{ userId: 'alice' }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'], users: ['alice'] }],
};

const required = 'Requires IAM_ADMIN_MAINTENANCE.';
const each = (...names: string[]) => Object.fromEntries(names.map((name) => [name, required]));
/** What IAM_ADMIN_MAINTENANCE allows as well. Members of some groups can be removed without either role. */
const byAdministrators = 'Requires ADMIN.';

interface ReadOnlyPage {
  /** A text that shows that the page is complete. */
  readonly ready: string;
  /** Names of the actions of the page, with the reason. */
  readonly disabled: Readonly<Record<string, string>>;
  /** Rows are selected only for actions of which one is permitted. */
  readonly hasSelection?: true;
}

const userActions = ['Sign in as', 'Edit', 'Set password', 'Lock', 'Delete', 'Add a contact'];

const pages: Readonly<Record<string, ReadOnlyPage>> = {
  inbox: { ready: 'Not shown: messages and their codes', disabled: {} },
  requests: { ready: 'client-identities.login', disabled: {} },
  sessions: { ready: 'AUTH-BASIC', disabled: each('End SESSION') },
  'sessions?userId=alice': { ready: 'AUTH-BASIC', disabled: each('End SESSION', 'End all sessions of the user') },
  users: { ready: 'alice', disabled: each('Create a user') },
  'users/alice': {
    ready: 'DEPLOY',
    disabled: { ...each(...userActions), 'Add to a group': byAdministrators },
  },
  'users/alice?tab=sessions': {
    ready: 'AUTH-BASIC',
    disabled: each(...userActions, 'End all sessions', 'End SESSION'),
  },
  groups: { ready: 'ops', disabled: each('Create a group') },
  'groups/ops': {
    ready: 'DEPLOY',
    disabled: { ...each('Edit', 'Delete'), 'Add a member': byAdministrators },
    hasSelection: true,
  },
  businesses: { ready: 'Businesses', disabled: { 'Create a business': byAdministrators } },
  customers: {
    ready: 'Customers',
    disabled: { 'Create a business': byAdministrators, 'Make a user a customer': byAdministrators },
  },
  'corporate-groups': { ready: 'Corporate groups', disabled: each('Create a corporate group') },
  tokens: { ready: 'Signing keys', disabled: each('Rotate the keys') },
  faults: {
    ready: 'groups.get',
    disabled: each('Add', ...faultPresetNames.map(formatPreset), 'Remove all', 'Remove the rule f1'),
  },
  settings: { ready: '--request-log-size', disabled: {} },
  state: {
    ready: 'before-checkout',
    disabled: each(
      'Reset to the seed',
      'Save',
      'Restore the snapshot before-checkout',
      'Delete the snapshot before-checkout',
      'Export the state',
      'Export as a seed',
      'Import a state',
      'Apply a seed',
    ),
  },
};

const adminHeaders = { Authorization: `Basic ${btoa(`${adminClient.clientId}:${adminClient.clientSecret}`)}` };

describe.skipIf(!hasBrowser)('a read-only administrator', () => {
  const {
    open: openAt,
    send,
    service,
  } = useConsole({ seed, isShared: true, server: { flags: { 'allow-remote': true, 'test-features': 'on' } } });
  let reader: ClientSecret;
  beforeAll(async () => {
    reader = await service().makeClient({ authorities: ['IAM_ADMIN_READ_ONLY', 'AUTH-BASIC', 'AUTH-MFA'] });
    await post('/_iam/faults', { operation: 'groups.get', effect: { latency: '1ms' } });
    await post('/_iam/state/snapshots', { name: 'before-checkout' });
    await post('/_iam/sessions', { userId: 'alice' });
  });

  async function post(path: string, body: object): Promise<void> {
    const { status, body: answer } = await send(path, { method: 'POST', headers: adminHeaders, body });
    expect([200, 201], JSON.stringify(answer)).toContain(status);
  }

  /** Of the login of the shared document. */
  let token: string;

  async function open(path: string) {
    const { page, problems, isLoaded } = await openAt(path);
    const rejected: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 401 && response.request().headers().authorization) rejected.push(response.url());
    });
    if (isLoaded) token = await logIn(page, reader);
    // The server rejects what the page sent before the login, some of it only after the dialog is closed.
    const listProblems = () => [...problems.filter((problem) => !/status of 401/.test(problem)), ...rejected];
    return { page, listProblems };
  }

  async function logIn(page: Page, client: ClientSecret): Promise<string> {
    const accessToken = await logInAsClient(page, client);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    return accessToken;
  }

  test.each(Object.entries(pages).filter((_, at) => isFullRun || at % 3 === 0))(
    'cannot change anything on %s, and sees why',
    async (path, { ready, disabled, hasSelection = false }) => {
      const { page, listProblems } = await open(path);
      await page.getByRole('main').getByText(ready).first().waitFor();
      await expect.poll(() => listDisabledButtons(page)).toEqual(disabled);
      const boxes = page.getByRole('checkbox', { name: /^Select / });
      await expect.poll(async () => (await boxes.count()) > 0).toBe(hasSelection);
      expect(listProblems()).toEqual([]);
    },
  );

  test('reads no code, not even in the events', async () => {
    const { page } = await open('inbox');
    await page.getByText('Not shown: messages and their codes').waitFor();
    await page.getByText(required).first().waitFor();
    const headers = { Authorization: `Bearer ${token}` };
    expect((await send('/_iam/inbox', { headers })).status).toBe(403);
    expect((await send('/_iam/events?topics=inbox', { headers })).status).toBe(403);
    expect(await findStateProblems(page)).toEqual([]);
  });

  test('opens a request without its content', async () => {
    const { page, listProblems } = await open('requests');
    await page.getByRole('button', { name: 'client-identities.login' }).first().click();
    await page.getByText('Not shown: headers, bodies and the reason of the response').waitFor();
    expect(listProblems()).toEqual([]);
  });

  test('reaches a disabled action with the keyboard, and cannot use it', async () => {
    const { page } = await open('users/alice');
    const lock = page.getByRole('button', { name: 'Lock', exact: true });
    await lock.and(page.locator('[aria-disabled=true]')).waitFor();
    await page.getByRole('button', { name: 'Set password' }).focus();
    await page.keyboard.press('Tab');
    await page.getByRole('tooltip').getByText(required).waitFor();
    await page.keyboard.press('Enter');
    await lock.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await findViewProblems(page)).toEqual([]);
  });

  test('cannot use the menus of the top bar', async () => {
    const { page } = await open('users');
    await page.getByRole('button', { name: new URL(service().url).host }).click();
    // The sandboxes that are read when a menu opens move its other items down.
    await page.getByText('none', { exact: true }).waitFor();
    const item = page.getByRole('menuitem', { name: 'Create a sandbox' }).filter({ hasText: required });
    await item.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await item.press('Escape');
    await item.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: '1 fault' }).click();
    const removeAll = page.getByRole('button', { name: 'Remove all' });
    await removeAll.waitFor();
    expect(await listDisabledButtons(page)).toMatchObject({
      'Remove all': required,
      'Remove the fault of groups.get': required,
    });
    await removeAll.press('Escape');
    await removeAll.waitFor({ state: 'hidden' });
    await openClock(page);
    await page.getByLabel('Advance by').press('Enter');
    expect(await listDisabledButtons(page)).toMatchObject({
      Freeze: required,
      Advance: required,
      'Reset to this machine': required,
    });
    const { body } = await send('/_iam/clock', { headers: adminHeaders });
    expect(body).toMatchObject({ offset: 0 });
  });

  test('that lost its role in the meantime gets an error with the role, and the action is then disabled', async () => {
    const writer = await service().makeClient({
      authorities: ['IAM_ADMIN_READ_ONLY', 'IAM_ADMIN_MAINTENANCE', 'AUTH-BASIC', 'AUTH-MFA'],
    });
    const { page } = await openConsole(service().url, { path: 'users' });
    await logIn(page, writer);
    await openReset(page);
    const { store } = service().appContext;
    await store.transaction(async (tx) => {
      const client = await tx.clients.get(writer.clientId);
      if (client)
        await tx.clients.replace({ ...client, authorities: ['IAM_ADMIN_READ_ONLY', 'AUTH-BASIC', 'AUTH-MFA'] });
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    const error = page.getByRole('dialog').getByRole('alert');
    await error.getByText('ROLE_MISSING').waitFor();
    await error.getByText('Missing roles: IAM_ADMIN_MAINTENANCE.').waitFor();
    await error.getByText(/^Request /).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Server actions' }).click();
    await page.getByRole('menuitem', { name: 'Reset to the seed', disabled: true }).waitFor();
    expect(await readSnapshots()).toEqual(['before-checkout']);
  });

  async function readSnapshots(): Promise<string[]> {
    const { body } = await send('/_iam/state/snapshots', { headers: adminHeaders });
    return (body as { name: string }[]).map(({ name }) => name);
  }
});
