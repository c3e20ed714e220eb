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
  // In one step: between two, the page may replace a button, and the second would wait for it.
  const entries: [string, string][] = await page.evaluate(`
    [...document.querySelectorAll('button[aria-disabled="true"][aria-describedby]')]
      .filter((button) => button.checkVisibility({ visibilityProperty: true }))
      .map((button) => [
        button.getAttribute('aria-label') ?? button.innerText,
        document.getElementById(button.getAttribute('aria-describedby'))?.textContent ?? '',
      ])`);
  return Object.fromEntries(
    entries.map(([name, description]) => [name.replace(/^End [\w-]{20,}$/, 'End SESSION'), description]),
  );
}
