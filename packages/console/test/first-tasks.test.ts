/** What a newcomer wants first, at the width of a phone and with the keyboard only. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { appClientId } from '../../../test/harness.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

const password = 'demo-only correct horse';
const seed = {
  users: [{ userId: 'alice', userName: 'alice', userEmail: 'alice@example.com', password }],
  groups: [
    { groupName: 'viewers', roles: ['VIEW'] },
    { groupName: 'ops', roles: ['DEPLOY'], dependencies: [{ groupName: 'viewers' }], users: ['alice'] },
  ],
};

const maxTabs = 150;

/** Presses Tab until the element has the focus, then Enter. */
async function pressEnterOn(target: Locator): Promise<void> {
  await target.waitFor();
  const page = target.page();
  for (let count = 0; count < maxTabs; count += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

/** How a person activates an element: with touch or mouse on a narrow screen, or with the keyboard. */
const ways = [
  { name: 'at the width of a phone', width: 390, activate: (target: Locator) => target.click() },
  { name: 'with the keyboard only', width: 1280, activate: pressEnterOn },
] as const;

type Way = (typeof ways)[number];

const [onPhone, byKeyboard] = ways;
/** In `npm test` every second task is done on a phone, the others by the keyboard; in a full run each in both ways. */
const waysOnPhone: readonly Way[] = isFullRun ? ways : [onPhone];
const waysByKeyboard: readonly Way[] = isFullRun ? ways : [byKeyboard];

describe.skipIf(!hasBrowser)('a newcomer', () => {
  const { open, read, send, service } = useConsole({ seed });

  const operations = '/security/iam/v1';
  const logIn = () =>
    send(`${operations}/user-identities/login?clientId=${appClientId}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`alice:${password}`)}` },
      body: {},
    });

  async function openPage(page: Page, title: string, { width, activate }: Way): Promise<void> {
    if (width < 768) await activate(page.getByRole('button', { name: 'Open the menu' }));
    await activate(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }));
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  test.each(waysOnPhone)('finds the code that was just sent, $name', async ({ width, activate }) => {
    const { page } = await open('', { width });
    await send(`${operations}/user-identities/retrieve-identity?clientId=${appClientId}`, {
      method: 'POST',
      body: { userName: 'alice' },
    });
    const [message] = (await read('/_iam/inbox')) as [{ code: string }];
    await page.getByText(message.code).first().waitFor();
    await activate(page.getByRole('link', { name: 'alice@example.com' }));
    await page.getByText(`Your code is ${message.code}`).waitFor();
  });

  test.each(waysByKeyboard)('finds why a call was refused and who can mend it, $name', async (way) => {
    const client = await service().withAuthorities([]);
    await expect(client.groups.create({ body: { groupName: 'new', roles: ['NEW'] } })).rejects.toThrow();
    const { page } = await open('', { width: way.width });
    await openPage(page, 'Requests', way);
    await way.activate(page.getByRole('button', { name: 'groups.create' }));
    await page.getByText('The nearest way in').waitFor();
    await way.activate(page.getByRole('alert').getByRole('link', { name: 'iam-administrators' }).first());
    await page.getByRole('heading', { level: 1, name: 'iam-administrators' }).waitFor();
  });

  test.each(waysOnPhone)('finds the group that gives a user a role, $name', async (way) => {
    const { page } = await open('', { width: way.width });
    await openPage(page, 'Users', way);
    await way.activate(page.getByRole('button', { name: 'alice' }));
    await way.activate(page.getByRole('button', { name: 'Path to VIEW' }));
    const steps = page.getByRole('list', { name: 'Way to the role' });
    for (const name of ['ops', 'viewers']) await steps.getByRole('link', { name }).waitFor();
  });

  test.each(waysByKeyboard)('resets the state, $name', async ({ width, activate }) => {
    await send('/_iam/users', { method: 'POST', body: { userName: 'bob' } });
    const { page } = await open('', { width });
    await activate(page.getByRole('button', { name: 'Server actions' }));
    const item = page.getByRole('menuitem', { name: 'Reset to the seed' });
    await item.waitFor();
    // Arrows move in a menu.
    if (width < 768) await item.click();
    else for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await activate(page.getByRole('dialog').getByRole('button', { name: 'Reset' }));
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const users = (await read('/_iam/users')) as { userName: string }[];
    expect(users.map(({ userName }) => userName)).not.toContain('bob');
  });

  test.each(waysOnPhone)('moves the clock past the expiry of a token, $name', async (way) => {
    const { accessToken } = (await logIn()).body as { accessToken: string };
    const { page } = await open('', { width: way.width });
    await openPage(page, 'Tokens', way);
    await page.getByRole('textbox', { name: 'Token' }).fill(accessToken);
    await way.activate(page.getByRole('button', { name: 'Inspect' }));
    await page.getByText('The server accepts this token').waitFor();
    await way.activate(page.getByRole('button', { name: 'Move the clock to its expiry' }));
    await page.getByText('The server rejects this token: expired').waitFor();
  });

  test.each(waysByKeyboard)('makes the next login fail, $name', async (way) => {
    const { page } = await open('', { width: way.width });
    await openPage(page, 'Faults', way);
    await way.activate(page.getByRole('button', { name: 'Next login fails' }));
    await page.getByText(/^Added the rule/).waitFor();
    expect([(await logIn()).status, (await logIn()).status]).toEqual([401, 201]);
  });
});
