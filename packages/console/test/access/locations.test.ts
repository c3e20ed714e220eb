/** The console in a sandbox, over TLS, and behind a proxy with a path of its own: every page, and changes that stay there. */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isFullRun } from '../../../../test/effort.ts';
import { startServer } from '../../../../test/harness.ts';
import { makeCertificate } from '../../../../test/server/start/certificate.ts';
import { hasBrowser } from '../harness/browser.ts';
import { chooseFound, openClock, openConsole } from '../harness/console-page.ts';
import { useConsole } from '../harness/use-console.ts';

const seed = {
  users: [{ userId: 'alice' }],
  groups: [{ groupName: 'ops', roles: ['DEPLOY'] }],
};

describe.skipIf(!hasBrowser)('the console', () => {
  const { read, send, service } = useConsole({ seed, server: {} });

  test.runIf(isFullRun)('of a sandbox changes the sandbox only', async () => {
    await send('/_iam/sandboxes', { method: 'POST', body: { name: 'box' } });
    const { page, problems } = await openConsole(`${service().url}/s/box`);
    await openAllPages(page, '/s/box/_iam/console', { reload: isFullRun });
    await lockAlice(page);
    await addMember(page);
    await addFault(page);
    await openClock(page);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('button', { name: 'Let it run' }).waitFor();
    expect(await read('/s/box/_iam/users/alice')).toMatchObject({ locked: true, effectiveRoles: ['DEPLOY'] });
    expect(await read('/s/box/_iam/faults')).toHaveLength(1);
    expect(await read('/s/box/_iam/clock')).toMatchObject({ frozen: true });
    expect(await read('/_iam/users/alice')).toMatchObject({ locked: false, effectiveRoles: [] });
    expect(await read('/_iam/faults')).toEqual([]);
    expect(await read('/_iam/clock')).toMatchObject({ frozen: false });
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('over TLS has every page and changes', async () => {
    await using secure = await startServer({ seed, tls: makeCertificate() });
    expect(secure.url).toMatch(/^https:/);
    const { page, problems } = await openConsole(secure.url);
    await openAllPages(page, '/_iam/console');
    await lockAlice(page);
    expect(await secure.appContext.store.users.get('alice')).toMatchObject({ locked: true });
    expect(problems).toEqual([]);
  });

  test('behind a proxy with a path has every page and changes', async () => {
    const proxy = await startProxy(service().url, '/tools/iam');
    const { page, problems } = await openConsole(proxy.url);
    await openAllPages(page, '/tools/iam/_iam/console');
    await lockAlice(page);
    expect(await read('/_iam/users/alice')).toMatchObject({ locked: true });
    expect(problems).toEqual([]);
    await proxy.close();
  });
});

/**
 * Opens each page of the menu, in a full run; otherwise some.
 * @param reload loads each at its address too; without, only the last one, since all addresses have the same depth
 */
async function openAllPages(page: Page, consolePath: string, { reload = false } = {}): Promise<void> {
  const links = page.getByRole('navigation', { name: 'Pages' }).locator('a[aria-keyshortcuts]');
  await links.first().waitFor();
  const titles = await links.allInnerTexts();
  expect(titles.length).toBeGreaterThan(5);
  // One mechanism loads them all.
  const opened = titles.filter((_, at) => isFullRun || at % 8 === 0);
  for (const title of opened) {
    await links.and(page.getByRole('link', { name: title, exact: true })).click();
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^${consolePath}/[a-z-]+$`));
    if (!reload && title !== opened.at(-1)) continue;
    await page.reload();
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  }
  expect(await page.getByRole('alert').count()).toBe(0);
}

async function lockAlice(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('button', { name: 'alice' }).click();
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await page.getByRole('button', { name: 'Lock the user' }).click();
  await page.getByRole('button', { name: 'Unlock' }).waitFor();
}

async function addMember(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add to a group' }).click();
  await chooseFound(page.getByRole('combobox', { name: 'Group' }), 'ops', /ops/);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: 'ops' }).first().waitFor();
}

async function addFault(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Faults', exact: true }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: '1 fault' }).waitFor();
}

/** A reverse proxy that removes its own path; other paths do not exist. */
async function startProxy(target: string, prefix: string): Promise<{ url: string; close(): Promise<void> }> {
  const { port } = new URL(target);
  const proxy: Server = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end();
    const { method, headers } = incoming;
    const options = { host: '127.0.0.1', port, path: incoming.url.slice(prefix.length), method, headers };
    const forwarded = request(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port: own } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}${prefix}`,
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
