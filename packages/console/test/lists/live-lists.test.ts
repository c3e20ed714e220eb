/** Live lists: their rows stay in place while the reader looks at them, and what was added is counted. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { appClientId } from '../../../../test/harness.ts';
import { hasBrowser } from '../harness/browser.ts';
import { useConsole } from '../harness/use-console.ts';

const seed = { users: [{ userId: 'ann', userName: 'ann', userEmail: 'ann@example.com' }] };
const groups = '/security/iam/v1/groups';

describe.skipIf(!hasBrowser || !isFullRun)('a live list', () => {
  const { open, send } = useConsole({ seed });

  async function sendRequests(names: readonly string[]): Promise<void> {
    for (const name of names) await send(`${groups}/${name}`);
  }
  const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
  const buttons = (page: Page) => page.getByRole('region', { name: 'Requests' }).getByRole('button');
  const scroll = (page: Page, top: number) =>
    page.evaluate(`document.querySelector('section.rows').scrollTop = ${top}`);

  test('keeps its rows while it is paused, and shows new ones on demand', async () => {
    await sendRequests(['first']);
    const { page, problems } = await open('requests');
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendRequests(['second', 'third']);
    await page.getByRole('button', { name: '2 new' }).waitFor();
    expect(await buttons(page).count()).toBe(1);
    await page.getByRole('button', { name: '2 new' }).click();
    await page.getByText('3 in all').waitFor();
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'hidden' });
    await sendRequests(['fourth']);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('4 in all').waitFor();
    await page.getByRole('button', { name: /new$/ }).waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  test('keeps its rows while it is scrolled down', async () => {
    await sendRequests(numbered('before', 60));
    const { page, problems } = await open('requests');
    await page.getByText('60 in all').waitFor();
    await scroll(page, 600);
    await sendRequests(numbered('after', 2));
    await page.getByRole('button', { name: '2 new' }).click();
    await page.getByText('62 in all').waitFor();
    expect(await page.evaluate(`document.querySelector('section.rows').scrollTop`)).toBe(0);
    // At the top, it follows again.
    await sendRequests(['last']);
    await page.getByText('63 in all').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows the current state of a row that stays, and that all are deleted', async () => {
    const sendCode = () =>
      send(`/security/iam/v1/user-identities/retrieve-identity?clientId=${appClientId}`, {
        method: 'POST',
        body: { userName: 'ann' },
      });
    await sendCode();
    const { page, problems } = await open('inbox');
    await page.getByText('5 attempts').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await sendCode();
    await page.getByText('Replaced').waitFor();
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await send('/_iam/inbox', { method: 'DELETE' });
    await sendCode();
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('1 in all').waitFor();
    await page.getByRole('button', { name: 'Clear the inbox' }).click();
    await page.getByRole('button', { name: 'Delete all messages' }).click();
    await page.getByText('No messages yet').waitFor();
    expect(problems).toEqual([]);
  });
});
