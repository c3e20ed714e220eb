/** The sessions of all users and clients in a real browser, and what ending them does on the server. */
import { describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { startSession } from '../../../src/server/sessions/sessions.ts';
import { isFullRun } from '../../../test/effort.ts';
import { findStateProblems } from './harness/axe-violations.ts';
import { hasBrowser } from './harness/browser.ts';
import { chooseFound } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const markup = '<img src=x onerror=alert(1)>';
const seed: SeedDocument = {
  users: [{ userId: 'alice' }, { userId: 'bob' }],
  clients: [
    { clientId: 'shop', clientSecret: 'only-for-tests' },
    { clientId: 'till', clientSecret: 'only-for-tests' },
  ],
};

describe.skipIf(!hasBrowser)('the sessions', () => {
  const { command, open: openAt, read, send, service } = useConsole({ seed });
  const open = (path = 'sessions') => openAt(path);

  async function signIn(userId: string, clientId: string) {
    const { body } = await send('/_iam/sessions', { method: 'POST', body: { userId, clientId } });
    return body as { sessionId: string; accessToken: string };
  }

  async function statusOf({ accessToken }: { accessToken: string }): Promise<number> {
    const headers = { Authorization: `Bearer ${accessToken}` };
    return (await send('/security/iam/v1/user-identities/alice', { headers })).status;
  }

  async function listSessionIds(): Promise<string[]> {
    return ((await read('/_iam/sessions')) as { sessionId: string }[]).map(({ sessionId }) => sessionId);
  }

  test('are filtered by user and client, and link to both', async () => {
    await signIn('alice', 'shop');
    await signIn('alice', 'till');
    await signIn('bob', 'till');
    const { page, problems } = await open();
    await page.getByText('3 in all').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('alic');
    await page.getByRole('option', { name: 'alice' }).click();
    await page.getByText('2 of 3').waitFor();
    await chooseFound(page.getByRole('combobox', { name: 'Client' }), 'till', 'till');
    await page.getByText('1 of 3').waitFor();
    expect(new URL(page.url()).search).toBe('?userId=alice&clientId=till');
    await page.getByText('The same from a terminal').click();
    await page.getByText(command('sessions list --user-id=alice --client-id=till --sort=-startedAt')).waitFor();
    await page.getByText(`curl '${service().url}/_iam/sessions?userId=alice&clientId=till&sort=-startedAt'`).waitFor();
    await page.getByRole('link', { name: 'till' }).click();
    await page.getByRole('heading', { level: 1, name: 'till' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'alice' }).click();
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('end one by one, after a confirmation that names the user', async () => {
    const ended = await signIn('alice', 'shop');
    const other = await signIn('alice', 'till');
    const { page, dialog, problems } = await open();
    await page.getByRole('button', { name: `End ${ended.sessionId}` }).click();
    await dialog.getByText('The session of alice through shop').waitFor();
    expect(await findStateProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.locator(`button[aria-label="End ${ended.sessionId}"]:focus`).waitFor();
    expect(await listSessionIds()).toEqual([ended.sessionId, other.sessionId].sort());
    await page.getByRole('button', { name: `End ${ended.sessionId}` }).click();
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('1 in all').waitFor();
    expect(await listSessionIds()).toEqual([other.sessionId]);
    expect([await statusOf(ended), await statusOf(other)]).toEqual([401, 200]);
    expect(problems).toEqual([]);
  });

  test.each([
    ['userId', 'alice', 'End all sessions of the user', 'Through the clients: shop, till', 'bob'],
    ['clientId', 'till', 'End all sessions of the client', 'Of the users: alice, bob', 'alice'],
  ])('of one %s all end, also those that another filter hides', async (name, id, action, affected, remaining) => {
    await signIn('alice', 'shop');
    await signIn('alice', 'till');
    await signIn('bob', 'till');
    const { page, dialog, problems } = await open('sessions?userId=alice&clientId=till');
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: action }).click();
    await dialog.getByText('Active sessions that end: 2').waitFor();
    await dialog.getByText(affected).waitFor();
    expect(await findStateProblems(page)).toEqual([]);
    expect(await listSessionIds()).toHaveLength(3);
    await dialog.getByRole('heading', { name: `End all sessions of ${id}` }).waitFor();
    await dialog.getByRole('button', { name: 'End the sessions' }).click();
    await page.getByText('No sessions match').waitFor();
    expect(await read(`/_iam/sessions?${name}=${id}`)).toEqual([]);
    expect(await read('/_iam/sessions')).toMatchObject([{ userId: remaining }]);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('that ended in the meantime are not found', async () => {
    const { sessionId } = await signIn('alice', 'shop');
    const { page, dialog } = await open();
    await page.getByRole('button', { name: `End ${sessionId}` }).click();
    await send(`/_iam/sessions?sessionId=${sessionId}`, { method: 'DELETE' });
    await dialog.getByRole('button', { name: 'End the session' }).click();
    await dialog.getByText('SESSION_NOT_FOUND').waitFor();
  });

  test.runIf(isFullRun)('show names of devices as text, and have no violation', async () => {
    const { appContext } = service();
    const device = {
      deviceKey: 'k1',
      userId: 'alice',
      deviceId: 'd1',
      deviceName: markup,
      tokenHash: 'h',
      createdAt: '',
    };
    await appContext.store.transaction((tx) => tx.devices.insert(device));
    const client = { clientId: 'shop', party: '1STPARTY' } as const;
    const start = { client, level: 'AUTH-BASIC', remember: true, renewable: true } as const;
    await appContext.store.transaction(async (tx) => {
      await startSession(tx, { ...start, userId: 'alice', device }, appContext);
      await startSession(tx, { ...start, logon: 'ALICE01' }, appContext);
    });
    const { page, problems } = await open();
    await page.getByText(`remembered, renewable, ${markup}`).waitFor();
    await page.getByText('Logon ALICE01').waitFor();
    expect([...(await findStateProblems(page)), ...problems]).toEqual([]);
  });

  test.runIf(isFullRun)('say how to start one if there is none, and which filters are not ids', async () => {
    const { page, problems } = await open();
    await page.getByText('No active sessions').waitFor();
    await page.getByText(/sessions create \S+ --show-token/).waitFor();
    expect([...(await findStateProblems(page)), ...problems]).toEqual([]);
    await open(`sessions?userId=${encodeURIComponent(markup)}`);
    await page.getByRole('alert').getByText('FIELD_VALUE').waitFor();
    expect(await findStateProblems(page)).toEqual([]);
  });

  test.runIf(isFullRun)('are read page by page while the list scrolls', async () => {
    const { appContext } = service();
    const client = { clientId: 'shop', party: '1STPARTY' } as const;
    const start = { client, userId: 'bob', level: 'AUTH-BASIC', remember: false, renewable: false } as const;
    await appContext.store.transaction(async (tx) => {
      for (let at = 0; at < 700; at += 1) await startSession(tx, start, appContext);
    });
    const { page, problems } = await open();
    await page.getByText('700 in all').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    const region = page.getByRole('region', { name: 'Sessions' });
    await expect
      .poll(async () => {
        await region.evaluate('document.querySelector("section.rows").scrollTo(0, 1e7)');
        return page.locator('table[aria-rowcount="701"]').count();
      })
      .toBe(1);
    expect(problems).toEqual([]);
  });
});
