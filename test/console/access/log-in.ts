/** Logs in to the console of a server with remote access. */
import type { Page } from 'playwright-core';

export interface ClientSecret {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** @returns the access token, which the page keeps in its memory only */
export async function logInAsClient(page: Page, { clientId, clientSecret }: ClientSecret): Promise<string> {
  await page.getByText('Client', { exact: true }).click();
  await page.getByRole('dialog').getByLabel('Client id').fill(clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  const response = page.waitForResponse('**/client-identities/login');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  const { accessToken } = (await (await response).json()) as { accessToken: string };
  return accessToken;
}

/** Names of the buttons that the caller must not use, with the description of each. Ids of sessions are replaced. */
export async function listDisabledButtons(page: Page): Promise<Record<string, string>> {
  const buttons = await page.locator('button[aria-disabled="true"][aria-describedby]:visible').all();
  const entries = buttons.map(async (button) => {
    const name = (await button.getAttribute('aria-label')) ?? (await button.innerText());
    const description = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`);
    return [name.replace(/^End [\w-]{20,}$/, 'End SESSION'), await description.textContent()] as [string, string];
  });
  return Object.fromEntries(await Promise.all(entries));
}
