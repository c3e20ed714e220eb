/** A server that stops, restarts or is replaced, and tokens that end, while a page is open. */
import type { Page, Route } from 'playwright-core';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openMemoryStore } from '../../../../src/server/store/memory/memory-store.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { isFullRun } from '../../../../test/effort.ts';
import { adminClient, appClientId, createFakeClock, startServer, type TestServer } from '../../../../test/harness.ts';
import { send as sendTo } from '../../../../test/server/control/control-client.ts';
import { hasBrowser } from '../harness/browser.ts';
import { openClock, openConsole, openReset } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';
import { listDisabledButtons, logInAsClient } from './log-in.ts';

const seed = { users: ['alice', 'bob'].map((userId) => ({ userId, userEmail: `${userId}@example.com` })) };
const notice = 'The page shows what it last received and connects again by itself.';

describe.skipIf(!hasBrowser)('while the page is open', () => {
  /** A server that can stop and start again at the same address, with the same data. */
  async function startRestartable(flags: Record<string, boolean> = {}) {
    const store: Store = { ...openMemoryStore(), close: async () => {} };
    let starts = 0;
    const start = (port: string) => {
      // Time passes between two starts.
      const clock = createFakeClock(`2026-03-01T12:0${starts}:00.000Z`);
      starts += 1;
      // Repeated: another process may use the port for a moment.
      return vi.waitFor(() => startServer({ seed, clock, flags: { port, ...flags }, openStore: async () => store }), {
        timeout: 60_000,
      });
    };
    let server: TestServer = await start('0');
    const { url } = server;
    return {
      url,
      running: () => server,
      stop: () => server[Symbol.asyncDispose](),
      async start() {
        server = await start(new URL(url).port);
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }

  test('the server restarts: typed text stays, and the lists are read again', async () => {
    await using restartable = await startRestartable();
    const { page } = await openConsole(restartable.url, { path: 'users?search=alice' });
    await page.getByText(/^1 of \d/).waitFor();
    await page.getByRole('button', { name: 'Create a user' }).click();
    await page.getByRole('dialog').getByLabel('Login name').fill('alice2');
    await restartable.stop();
    await page.getByText(notice).waitFor();
    const away = page.getByRole('dialog').getByText('send it when the server responds again');
    await away.waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('dialog').getByText('UNREACHABLE').waitFor();
    await restartable.start();
    await page.getByText(notice).waitFor({ state: 'hidden' });
    await away.waitFor({ state: 'hidden' });
    expect(await page.getByRole('dialog').getByLabel('Login name').inputValue()).toBe('alice2');
    expect(new URL(page.url()).search).toBe('?search=alice');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('heading', { level: 1, name: 'alice2' }).waitFor();
    await page.goBack();
    await page.getByText(/^2 of \d/).waitFor();
    expect(await page.getByLabel('Login name, e-mail or id').inputValue()).toBe('alice');
  });

  test.runIf(isFullRun)('the server restarts: an open message stays open, and new ones arrive', async () => {
    await using restartable = await startRestartable();
    await sendCode(restartable.running(), 'alice');
    const { page } = await openConsole(restartable.url, { path: 'inbox' });
    await page.getByRole('button', { name: 'alice@example.com' }).click();
    const panel = page.getByRole('region', { name: 'Message', exact: true });
    await panel.waitFor();
    await restartable.stop();
    await page.getByText(notice).waitFor();
    await panel.waitFor();
    await restartable.start();
    await page.getByText(notice).waitFor({ state: 'hidden' });
    await panel.waitFor();
    await sendCode(restartable.running(), 'bob');
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('2 in all').waitFor();
    await page.reload();
    await panel.waitFor();
  });

  test.runIf(isFullRun)('the server is down: pages open, and the login and typed text stay', async () => {
    await using restartable = await startRestartable({ 'allow-remote': true });
    const held: Route[] = [];
    // Files are loaded ahead one after the other: none after these.
    const prepare = (opened: Page) => opened.route(/\/assets\/state-page[^/]*\.js/, (route) => void held.push(route));
    const { page } = await openConsole(restartable.url, { path: 'users', prepare });
    await logInAsClient(page, adminClient);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
    await restartable.stop();
    await page.getByText(notice).waitFor();
    await page.getByRole('link', { name: 'Faults' }).click();
    await page.getByRole('heading', { level: 1, name: 'Faults' }).waitFor();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Create a user' }).click();
    await dialog.getByLabel('Login name').fill('alice2');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await dialog.getByText('UNREACHABLE').waitFor();
    await restartable.start();
    await page.getByText(notice).waitFor({ state: 'hidden' });
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('heading', { level: 1, name: 'alice2' }).waitFor();
    await restartable.stop();
    await page.getByText(notice).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    const panel = page.getByRole('main').getByRole('alert');
    await panel.getByText('Settings cannot be opened now').waitFor();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('They are loaded as soon as it responds.').waitFor();
    await restartable.start();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await held[0]?.abort();
    await page.getByRole('link', { name: 'State' }).click();
    await panel.getByText('State cannot be opened now').waitFor();
    await panel.getByRole('button', { name: 'Reload the console' }).waitFor();
    await page.getByRole('button', { name: `Log out ${adminClient.clientId}` }).waitFor();
  });

  test.runIf(isFullRun)('the sandbox is deleted: typed text stays, and only a button creates it again', async () => {
    await using server = await startServer({ seed });
    const { page } = await openConsole(`${server.url}/s/box`, { path: 'groups' });
    const dialog = page.getByRole('dialog');
    const openForm = async () => {
      await page.getByRole('button', { name: 'Create a group' }).click();
      await dialog.getByLabel('Name').fill('typed');
    };
    const deleteSandbox = async () => {
      expect((await sendTo(server, '/_iam/sandboxes/box', { method: 'DELETE' })).status).toBe(204);
      await page.getByRole('main').getByText('The sandbox box was deleted').waitFor();
    };
    const create = dialog.getByRole('button', { name: 'Create', exact: true });
    const restore = page.getByRole('button', { name: 'Create it again from the seed' });
    await openForm();
    await deleteSandbox();
    await create.click();
    await dialog.getByText('SANDBOX_NOT_FOUND').waitFor();
    expect((await sendTo(server, '/_iam/sandboxes')).body).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await restore.click();
    await restore.waitFor({ state: 'hidden' });
    await openForm();
    await deleteSandbox();
    await dialog.locator(restore).click();
    await restore.first().waitFor({ state: 'hidden' });
    // What was canceled was not created.
    expect((await sendTo(server, '/s/box/_iam/groups?search=typed')).body).toEqual([]);
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'typed' }).waitFor();
  });

  test('a login is revoked: the page asks for another one, and keeps its place and what was typed', async () => {
    await using server = await startServer({ seed, flags: { 'allow-remote': true } });
    const { page } = await openConsole(server.url, { path: 'users/alice?role=VIEW' });
    const token = await logInAsClient(page, adminClient);
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByLabel('Reason').fill('Lost phone');
    // Revoked once the button is clicked: any earlier request of the page would ask for a login over the form.
    const revokeThenSend = async (route: Route) => {
      await sendTo(server, '/_iam/revoke', { method: 'POST', body: { token } });
      await route.continue();
    };
    await page.route('**/user-identities/lock', revokeThenSend, { times: 1 });
    await page.getByRole('button', { name: 'Lock the user' }).click();
    const login = page.getByRole('dialog', { name: 'Log in as an administrator' });
    await login.getByText('Your login ended').waitFor();
    await page.keyboard.press('Escape');
    await logInAsClient(page, adminClient);
    await login.waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Reason').inputValue()).toBe('Lost phone');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/_iam/console/users/alice?role=VIEW');
    await page.getByRole('button', { name: 'Lock the user' }).click();
    await page.getByText('Lost phone').first().waitFor();
    await page.getByRole('button', { name: 'Unlock' }).waitFor();
  });
});

describe.skipIf(!hasBrowser)('while the page is open on a running server', () => {
  const { open, send, service } = useConsole({ seed });

  test.runIf(isFullRun)('a reset rejects the token of the console: the next action gets another one', async () => {
    const { page } = await open('users/alice');
    await lock(page);
    await page.getByRole('button', { name: 'Unlock' }).waitFor();
    expect((await send('/_iam/state/reset', { method: 'POST', body: { to: 'seed' } })).status).toBe(204);
    // Without a reload: the page still has the token of the time before the reset.
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByRole('button', { name: 'bob' }).click();
    await lock(page);
    await page.getByRole('button', { name: 'Unlock' }).waitFor();
    expect((await send('/_iam/users/alice')).body).toMatchObject({ locked: false });
    expect((await send('/_iam/users/bob')).body).toMatchObject({ locked: true });
  });

  describe.runIf(isFullRun)('the clock moves: the console gets another token, and its actions stay allowed', () => {
    let page: Page;
    let problems: readonly string[];
    beforeEach(async () => {
      ({ page, problems } = await open('users'));
      await page.getByRole('button', { name: 'bob' }).waitFor();
    });

    async function lockBob(): Promise<void> {
      await page.getByRole('button', { name: 'bob' }).click();
      await page.getByRole('heading', { level: 1, name: 'bob' }).waitFor();
      await lock(page);
      await page.getByRole('button', { name: 'Unlock' }).waitFor();
      expect(await listDisabledButtons(page)).toEqual({});
      expect(problems).toEqual([]);
    }

    test('past the expiry of the token', async () => {
      await openClock(page);
      await page.getByLabel('Advance by').fill('2h');
      await page.getByRole('button', { name: 'Advance', exact: true }).click();
      await page.getByText('2 h ahead of this machine').waitFor();
      await page.keyboard.press('Escape');
      await lockBob();
    });

    test('before the start of the token, by another program', async () => {
      const moved = await send('/_iam/clock', { method: 'PUT', body: { advance: '-2h' } });
      expect(moved.status).toBe(200);
      await page.locator('.pill-clock').waitFor();
      await lockBob();
    });
  });

  test.runIf(isFullRun)(
    'another version replaces the server: the page says so, and ignores what it does not know',
    async () => {
      const { page } = await open('users');
      await page.getByText('alice').first().waitFor();
      const mismatch = page.getByText('The server has another version than this page');
      expect(await mismatch.count()).toBe(0);
      await page.route('**/_iam/console/', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replace(/index-[\w-]+\.js/, 'index-other.js') });
      });
      await page.route('**/_iam/users?*', async (route) => {
        const response = await route.fetch();
        const users = (await response.json()) as object[];
        await route.fulfill({ response, json: users.map((user) => ({ ...user, unknown: { field: [1] } })) });
      });
      await openReset(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
      await mismatch.waitFor();
      await page.getByRole('button', { name: 'alice' }).waitFor();
      // Until the server stops: an intercepted request would then fail, outside of the test.
      await page.unrouteAll({ behavior: 'wait' });
      const reloaded = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Reload' }).click();
      await reloaded;
      await page.getByRole('button', { name: 'alice' }).waitFor();
      expect(await mismatch.count()).toBe(0);
    },
  );

  test.runIf(isFullRun)('an older server without the stream of events is read at intervals', async () => {
    let isAsked = false;
    const prepare = (opened: Page) =>
      opened.route(`${service().url}/_iam/events?*`, async (route) => {
        await route.fulfill({ status: 404, json: [] });
        isAsked = true;
      });
    const { page } = await openConsole(service().url, { path: 'users', prepare });
    await expect.poll(() => isAsked).toBe(true);
    await page.getByText('alice').first().waitFor();
    expect(await page.getByText(notice).count()).toBe(0);
  });
});

async function lock(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await page.getByRole('button', { name: 'Lock the user' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

async function sendCode(server: TestServer, userName: string): Promise<void> {
  const path = `/security/iam/v1/user-identities/retrieve-identity?clientId=${appClientId}`;
  await sendTo(server, path, { method: 'POST', body: { userName } });
  expect((await sendTo(server, `/_iam/inbox/wait?to=${userName}@example.com`)).status).toBe(200);
}
