/** The sessions of all users and clients in a real browser, and what ending them does on the server. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { send } from '../../../test/server/control/control-client.ts';
import { findViewProblems } from './axe-violations.ts';
import { closeContexts, hasBrowser, openConsole, sharedBrowser } from './console-page.ts';

const markup = '<img src=x onerror=alert(1)>';
const seed: SeedDocument = {
  users: [{ userId: 'alice' }, { userId: 'bob' }],
  clients: [
    { clientId: 'shop', clientSecret: 'only-for-tests' },
    { clientId: 'till', clientSecret: 'only-for-tests' },
  ],
};

let browser: Browser;
beforeAll(async () => {
  if (hasBrowser) browser = await sharedBrowser();
});
afterAll(async () => {
  await closeContexts(browser);
});

async function open(server: TestServer, path = 'sessions') {
  const opened = await openConsole(browser, server.url, { path });
  return { ...opened, dialog: opened.page.getByRole('dialog') };
}

async function signIn(server: TestServer, userId: string, clientId: string) {
  const { body } = await send(server, '/_iam/sessions', { method: 'POST', body: { userId, clientId } });
  return body as { sessionId: string; accessToken: string };
}

async function statusOf(server: TestServer, { accessToken }: { accessToken: string }): Promise<number> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  return (await send(server, '/security/iam/v1/user-identities/alice', { headers })).status;
}

async function listSessionIds(server: TestServer): Promise<string[]> {
  const { body } = await send(server, '/_iam/sessions');
  return (body as { sessionId: string }[]).map(({ sessionId }) => sessionId);
}

describe.skipIf(!hasBrowser)('the sessions', () => {
  test('are filtered by user and client, and link to both', async () => {
    await using server = await startServer({ seed });
    await signIn(server, 'alice', 'shop');
    await signIn(server, 'alice', 'till');
    await signIn(server, 'bob', 'till');
    const { page, problems } = await open(server);
    await page.getByText('3 in all').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('alice');
    await page.getByText('2 in all').waitFor();
    await page.getByLabel('Client id').fill('till');
    await page.getByText('1 in all').waitFor();
    expect(new URL(page.url()).search).toBe('?userId=alice&clientId=till');
    await page.getByText('The same from a terminal').click();
    await page.getByText('iam sessions list --user-id=alice --client-id=till').waitFor();
    await page.getByText(`curl '${server.url}/_iam/sessions?userId=alice&clientId=till'`).waitFor();
    await page.getByRole('link', { name: 'till' }).click();
    await page.getByRole('heading', { level: 1, name: 'till' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'alice' }).click();
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('end one by one, after a confirmation that names the user', async () => {
    await using server = await startServer({ seed });
    const ended = await signIn(server, 'alice', 'shop');
    const other = await signIn(server, 'alice', 'till');
    const { page, dialog, problems } = await open(server);
    await page.getByRole('button', { name: `End ${ended.sessionId}` }).click();
    await dialog.getByText('The session of alice through shop').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.locator(`button[aria-label="End ${ended.sessionId}"]:focus`).waitFor();
    expect(await listSessionIds(server)).toEqual([ended.sessionId, other.sessionId].sort());
    await page.getByRole('button', { name: `End ${ended.sessionId}` }).click();
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('1 in all').waitFor();
    expect(await listSessionIds(server)).toEqual([other.sessionId]);
    expect([await statusOf(server, ended), await statusOf(server, other)]).toEqual([401, 200]);
    expect(problems).toEqual([]);
  });

  test.each([
    ['userId', 'alice', 'End all sessions of the user', 'Through the clients: shop, till', 'bob'],
    ['clientId', 'till', 'End all sessions of the client', 'Of the users: alice, bob', 'alice'],
  ])('of one %s all end, also those that another filter hides', async (name, id, action, affected, remaining) => {
    await using server = await startServer({ seed });
    await signIn(server, 'alice', 'shop');
    await signIn(server, 'alice', 'till');
    await signIn(server, 'bob', 'till');
    const { page, dialog, problems } = await open(server, 'sessions?userId=alice&clientId=till');
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: action }).click();
    await dialog.getByText('Active sessions that end: 2').waitFor();
    await dialog.getByText(affected).waitFor();
    expect(await findViewProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await listSessionIds(server)).toHaveLength(3);
    await dialog.getByRole('heading', { name: `End all sessions of ${id}` }).waitFor();
    await dialog.getByRole('button', { name: 'End the sessions' }).click();
    await page.getByText('No session matches').waitFor();
    expect((await send(server, `/_iam/sessions?${name}=${id}`)).body).toEqual([]);
    expect((await send(server, '/_iam/sessions')).body).toMatchObject([{ userId: remaining }]);
    expect(problems).toEqual([]);
  });

  test('that ended in the meantime are not found', async () => {
    await using server = await startServer({ seed });
    const { sessionId } = await signIn(server, 'alice', 'shop');
    const { page, dialog } = await open(server);
    await page.getByRole('button', { name: `End ${sessionId}` }).click();
    await send(server, `/_iam/sessions?sessionId=${sessionId}`, { method: 'DELETE' });
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await dialog.getByText('SESSION_NOT_FOUND').waitFor();
  });

  test('show names of devices as text, and have no violation', async () => {
    await using server = await startServer({ seed });
    const { appContext } = server;
    const device = {
      deviceKey: 'k1',
      userId: 'alice',
      deviceId: 'd1',
      deviceName: markup,
      tokenHash: 'h',
      createdAt: '',
    };
    await appContext.store.transaction((tx) => tx.devices.insert(device));
    const start = { clientId: 'shop', level: 'AUTH-BASIC', remember: true, renewable: true } as const;
    await appContext.store.transaction(async (tx) => {
      await startSession(tx, { ...start, userId: 'alice', deviceKey: 'k1' }, appContext);
      await startSession(tx, { ...start, logon: 'ALICE01' }, appContext);
    });
    const { page, problems } = await open(server);
    await page.getByText(`remembered, renewable, ${markup}`).waitFor();
    await page.getByText('Logon ALICE01').waitFor();
    expect([...(await findViewProblems(page)), ...problems]).toEqual([]);
  });

  test('say how to start one if there is none, and which filters are not ids', async () => {
    await using server = await startServer({ seed });
    const { page, problems } = await open(server);
    await page.getByText('No active sessions').waitFor();
    await page.getByText('iam sessions create alice@example.com').waitFor();
    expect([...(await findViewProblems(page)), ...problems]).toEqual([]);
    await page.getByLabel('User id').fill(markup);
    await page.getByRole('alert').getByText('FIELD_VALUE').waitFor();
    expect(await findViewProblems(page)).toEqual([]);
  });

  test('are read page by page while the list scrolls', async () => {
    await using server = await startServer({ seed });
    const { appContext } = server;
    const start = { clientId: 'shop', userId: 'bob', level: 'AUTH-BASIC', remember: false, renewable: false } as const;
    await appContext.store.transaction(async (tx) => {
      for (let at = 0; at < 700; at += 1) await startSession(tx, start, appContext);
    });
    const { page, problems } = await open(server);
    await page.getByText('500 shown, more follow').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    const region = page.getByRole('region', { name: 'Sessions' });
    await expect
      .poll(async () => {
        await region.evaluate('document.querySelector("section.rows").scrollTo(0, 1e7)');
        return page.getByText('700 in all').count();
      })
      .toBe(1);
    expect(problems).toEqual([]);
  });
});
