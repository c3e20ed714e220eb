/**
 * Writes an image of every page of the console into dist/screenshots/, in both colour schemes and at two widths, with the
 * data of data/seed.json and some requests and messages. Needs dist/.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../packages/console/test/find-chromium.ts';
import type { IamServer, startServer as StartServer } from '../src/testing/index.ts';

// The built package: this script itself is bundled.
const { startServer } = (await import(pathToFileURL(path.resolve('dist/index.js')).href)) as {
  startServer: typeof StartServer;
};
const folder = path.resolve('dist/screenshots');
const views = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, width })),
);

/** Pages with an object that is open, besides those of the menu. */
const objects = ['users/olivia'];

await mkdir(folder, { recursive: true });
const unpacked = await mkdtemp(path.join(folder, 'chromium-'));
const { program, env } = await findChromium(unpacked);
const seed = JSON.parse(await readFile('data/seed.json', 'utf8')) as object;
const iam = await startServer({ seed });
const browser = await chromium.launch({
  executablePath: program,
  env: { ...process.env, ...env } as Record<string, string>,
  args: ['--no-sandbox'],
});
try {
  await makeRequests(iam);
  for (const page of [...(await listPages(browser, iam)), ...objects]) await capture(browser, iam, page);
} finally {
  await browser.close();
  await iam.stop();
  await rm(unpacked, { recursive: true });
}

/** Fills the inbox and the request log: also with a message and a rejected request. */
async function makeRequests({ client, as, baseUrl, credentials }: IamServer): Promise<void> {
  await client.groups.list();
  await as('ada')
    .groups.list()
    .catch(() => {});
  for (const userName of ['olivia', 'ada'])
    await fetch(`${baseUrl}/user-identities/retrieve-identity?clientId=${credentials.appClientId}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ userName }),
    });
}

/** The paths of the menu, below the console. */
async function listPages(from: Browser, { url }: IamServer): Promise<string[]> {
  const page = await from.newPage();
  await page.goto(`${url}/_iam/console/`);
  await page.locator('a[aria-keyshortcuts]').first().waitFor({ state: 'attached' });
  const links = await page.locator('a[aria-keyshortcuts]').all();
  const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
  await page.close();
  return targets.map((target) => String(target).replace('/_iam/console/', ''));
}

async function capture(from: Browser, { url }: IamServer, at: string): Promise<void> {
  for (const { colorScheme, width } of views) {
    const context = await from.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${url}/_iam/console/${at}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('load');
    await page.locator('.mantine-Loader-root').waitFor({ state: 'detached' });
    await page.screenshot({ path: path.join(folder, `${at.replaceAll('/', '-')}-${colorScheme}-${width}.png`) });
    await context.close();
  }
}
