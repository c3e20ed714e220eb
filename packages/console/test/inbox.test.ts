/** The inbox page in a real browser. */
import { beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { appClientId } from '../../../test/harness.ts';
import { hasBrowser } from './harness/browser.ts';
import { copyWith } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

const seed = {
  users: ['ann', 'bob'].map((name) => ({ userId: name, userName: name, userEmail: `${name}@example.com` })),
};

describe.skipIf(!hasBrowser)('the inbox', () => {
  const { open, read, send } = useConsole({ seed, isShared: true, server: {} });

  beforeEach(async () => {
    await send('/_iam/inbox', { method: 'DELETE' });
  });

  /** Sends a recovery code to a user. @returns the address and the code */
  async function sendCode(userName: string): Promise<{ to: string; code: string }> {
    const path = `/security/iam/v1/user-identities/retrieve-identity?clientId=${appClientId}`;
    await send(path, { method: 'POST', body: { userName } });
    const { body } = await send(`/_iam/inbox/wait?to=${userName}@example.com`);
    return body as { to: string; code: string };
  }

  test('explains what appears there', async () => {
    const { page, problems } = await open('inbox');
    await page.getByText('No messages yet').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a message when it is sent, copies its code and opens its text', async () => {
    const { page, problems } = await open('inbox');
    await page.getByText('No messages yet').waitFor();
    const { to, code } = await sendCode('ann');
    const row = page.getByRole('row', { name: to });
    await row.waitFor();
    await row.getByText(code).waitFor();
    await row.getByText(/^in \d+ (s|min), 5 attempts left$/).waitFor();
    expect(await copyWith(row.getByRole('button', { name: 'Copy' }))).toBe(code);
    await row.getByRole('button', { name: to }).click();
    await page.getByRole('region', { name: 'Message', exact: true }).getByText(code).first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/inbox\/\w+$/);
    await page.reload();
    await page.getByRole('region', { name: 'Message', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Message', exact: true }).waitFor({ state: 'hidden' });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('filters by address and purpose in the URL', async () => {
    await sendCode('ann');
    await sendCode('bob');
    const { page } = await open('inbox');
    await page.getByText('2 in all').waitFor();
    await page.getByLabel('Address or number').fill('bob@example.com');
    await page.getByText('1 match').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toBe('bob@example.com');
    await page.getByLabel('Address or number').fill('');
    const { code } = await sendCode('ann');
    await page.getByLabel('Subject or text').fill(code);
    await page.getByText(code).first().waitFor();
    await expect.poll(() => page.getByText('(unread)').count()).toBe(1);
    await page.getByRole('button', { name: 'ann@example.com' }).click();
    const message = page.getByRole('region', { name: 'Message as it was sent' });
    await message.getByText('Your code', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await message.waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByText('(unread)').count()).toBe(0);
    await page.getByLabel('Subject or text').fill('');
    await page.getByRole('combobox', { name: 'Purpose' }).click();
    await page.getByRole('option', { name: 'recovery' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('purpose')).toBe('recovery');
    await page.getByText('3 match').waitFor();
  });

  test.runIf(isFullRun)('is cleared only after a confirmation', async () => {
    await sendCode('ann');
    const { page } = await open('inbox');
    const messages = () => read('/_iam/inbox');
    await page.getByRole('button', { name: 'Clear the inbox' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await messages()).toHaveLength(1);
    await page.getByRole('button', { name: 'Clear the inbox' }).click();
    await page.getByRole('button', { name: 'Delete all messages' }).click();
    await page.getByText('No messages yet').waitFor();
    expect(await messages()).toEqual([]);
  });
});
