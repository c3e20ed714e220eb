/** The token inspector and the signing keys in a real browser. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { isFullRun } from '../../../test/effort.ts';
import { hasBrowser } from './harness/browser.ts';
import { useConsole } from './harness/use-console.ts';

const seed = { users: [{ userId: 'ann', userName: 'ann' }] };

describe.skipIf(!hasBrowser)('the token inspector', () => {
  const { open, read, send } = useConsole({ seed, isShared: true });
  let page: Page;
  let problems: readonly string[];
  beforeEach(async () => {
    ({ page, problems } = await open('tokens'));
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
  });

  async function signIn(): Promise<string> {
    const { body } = await send('/_iam/sessions', { method: 'POST', body: { userId: 'ann' } });
    return (body as { accessToken: string }).accessToken;
  }

  async function inspect(token: string): Promise<void> {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Inspect' }).click();
  }

  test('shows claims, key and session, and keeps the token out of the URL and the storage', async () => {
    const token = await signIn();
    await inspect(token);
    await page.getByText('The server accepts this token').waitFor();
    await page.getByText('Signature: valid').waitFor();
    await page.getByRole('row', { name: /^sub ann/ }).waitFor();
    for (const link of await page.getByRole('link', { name: 'ann' }).all())
      expect(await link.getAttribute('href')).toMatch(/\/users\/ann$/);
    const kept = await page.evaluate('JSON.stringify([location.href, localStorage, sessionStorage, document.title])');
    expect(String(kept)).not.toContain(token.slice(0, 20));
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('revokes a token after a confirmation', async () => {
    const token = await signIn();
    await inspect(token);
    await page.getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const inspected = async () =>
      (await send('/_iam/tokens/inspect', { method: 'POST', body: { token } })).body as { active: boolean };
    expect(await inspected()).toMatchObject({ active: true });
    await page.getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText(/The server rejects this token/).waitFor();
    expect(await inspected()).toMatchObject({ active: false });
  });

  test('moves the clock to the expiry of the token', async () => {
    await inspect(await signIn());
    await page.getByRole('button', { name: 'Move the clock to its expiry' }).click();
    await page.getByText('The server rejects this token: expired').waitFor();
  });

  test.runIf(isFullRun)('says what a text that is no token is', async () => {
    await inspect('demo-only-nothing');
    await page.getByText('This is no token of this server').waitFor();
    expect(await page.getByRole('button', { name: /clock to its expiry|Revoke/ }).count()).toBe(0);
  });

  test('rotates the signing key', async () => {
    const before = (await read('/_iam/keys')) as { kid: string }[];
    await page.getByRole('button', { name: 'Rotate the keys' }).click();
    await page.getByText('retired').first().waitFor();
    const after = (await read('/_iam/keys')) as { kid: string; state: string }[];
    expect(after.length).toBe(before.length + 1);
    await page.getByText(after[0]?.kid ?? 'none').waitFor();
  });
});
