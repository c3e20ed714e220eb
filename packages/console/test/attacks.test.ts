/** What other sites and hostile data cannot do to the console, in a real browser. */
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { isFullRun } from '../../../test/effort.ts';
import { startServer, type TestServer } from '../../../test/harness.ts';
import { hasBrowser, otherHost, sharedBrowser } from './harness/browser.ts';
import { navigate, openConsole } from './harness/console-page.ts';
import { useConsole } from './harness/use-console.ts';

/** A site at another origin whose page contains the given HTML. */
async function startOtherSite(html: string) {
  const site = http.createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(html));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  return {
    /** A page of another site, and one of the same site at another port. */
    urls: [`http://${otherHost}:${port}/`, `http://127.0.0.1:${port}/`, `http://localhost:${port}/`],
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void site.close(() => resolve())),
  };
}

describe.skipIf(!hasBrowser)('a page of another site', () => {
  let server: TestServer;
  let context: BrowserContext;
  beforeAll(async () => {
    server = await startServer({ seed: { users: [{ userId: 'alice' }] } });
    return () => server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    context = await (await sharedBrowser()).newContext();
    return () => context.close();
  });

  test('cannot frame or embed the console', async () => {
    const address = `${server.url}/_iam/console/inbox`;
    await using site = await startOtherSite(
      `<iframe src="${address}"></iframe><object data="${address}"></object><embed src="${address}">`,
    );
    for (const url of site.urls) {
      const page = await context.newPage();
      await page.goto(url);
      await page.waitForLoadState('networkidle');
      const shown = page.frames().filter((frame) => frame !== page.mainFrame());
      expect(shown.length).toBeGreaterThan(0);
      for (const frame of shown) expect(await frame.content()).not.toMatch(/IAM console|<script[^>]*assets/);
      await page.close();
    }
  });

  test('cannot read or change anything by scripts and forms', async () => {
    await using site = await startOtherSite('<p>Other site</p>');
    const before = await server.dump();
    const [foreign] = site.urls;
    for (const url of site.urls) {
      const page = await context.newPage();
      await page.goto(url);
      // Scripts of pages of this machine may use the control plane, at any port; forms may not.
      if (url === foreign) {
        const outcomes = await page.evaluate(attackByFetch, server.url);
        expect(outcomes).toEqual(outcomes.map(() => 'nothing'));
        expect(outcomes.length).toBeGreaterThan(8);
      }
      await attackByForm(page, `${server.url}/_iam/state/reset`);
      await page.waitForURL(`${server.url}/**`);
      expect(await page.content()).toMatch(/ORIGIN_FOREIGN|CSRF_HEADER_MISSING/);
      await page.close();
    }
    expect(await server.dump()).toEqual(before);
  });

  test.runIf(isFullRun)('cannot make the page offer a command of its own', async () => {
    const values = [
      'x;touch /tmp/x;#',
      '$(touch x)',
      '`touch x`',
      "a'b",
      '--base-url=https://other.example',
      '\u001b[201~\ntouch x',
    ];
    const paths = (value: string) => [
      `inbox?to=${value}`,
      `inbox?purpose=${value}`,
      `groups?search=${value}`,
      `groups?view=graph&root=${value}`,
      `groups?view=role&user=${value}&role=${value}`,
      `users?search=${value}`,
      `clients?search=${value}`,
      `api-keys?search=${value}`,
      `requests?caller=${value}`,
      `sessions?userId=${value}`,
      `state?from=${value}`,
    ];
    const { page } = await openConsole(server.url, { path: 'inbox' });
    const commands = page.locator('main details').getByLabel('Command');
    const readCommands = async () => (await commands.allTextContents()).filter((text) => text.startsWith('iam '));
    // Otherwise the first page visited could be taken for this one.
    await expect.poll(readCommands).not.toEqual([]);
    let texts = await readCommands();
    for (const [number, value] of values.entries()) {
      // Pages place options, but one function quotes: the value that looks like an option goes to all of them, the others
      // to one each, in a full run to a third each.
      const isOption = value.startsWith('-');
      const share = isFullRun ? 3 : values.length;
      const visited = paths(encodeURIComponent(value)).filter((_, at) => isOption || at % share === number % share);
      for (const path of visited) {
        const before = texts;
        await navigate(page, `${server.url}/_iam/console/${path}`);
        await expect.poll(readCommands).not.toEqual(before);
        await commands.first().waitFor({ state: 'attached' });
        texts = await readCommands();
        const given = texts.map(readArguments).filter((words) => words.some((word) => word.includes(value)));
        expect(given.length, `${path}: ${texts.join()}`).toBeGreaterThan(0);
        // Alone, it follows a separator or the name of an option.
        for (const words of given)
          if (isOption && words.includes(value))
            expect(
              words.slice(0, words.indexOf(value)).some((word) => word.startsWith('--')),
              texts.join(),
            ).toBe(true);
      }
    }
  });

  test('and data of others hide nothing: invisible characters in names are shown as escapes, and stay in commands', async () => {
    const hiding: SeedDocument = { businesses: [{ businessId: 'b-evil', businessName: 'Ac\u200bme\u202e\u00a0Ltd' }] };
    await using other = await startServer({ seed: hiding });
    const shown = 'Ac⟨U+200B⟩me⟨U+202E⟩⟨U+00A0⟩Ltd';
    const { page, problems } = await openConsole(other.url, { path: 'businesses' });
    await page.getByText(shown).waitFor();
    await navigate(page, `${other.url}/_iam/console/businesses?search=${encodeURIComponent('c\u200bm')}`);
    const command = page.locator('main details').getByLabel('Command').first();
    await expect.poll(() => command.textContent()).toMatch(/--search=.*xe2/);
    expect(readArguments((await command.textContent()) ?? '')).toContain('--search=c\u200bm');
    await navigate(page, `${other.url}/_iam/console/businesses/b-evil`);
    await page.getByText('b-evil').first().waitFor();
    await page.getByText(shown).first().waitFor();
    expect(await page.locator('body').innerHTML()).not.toMatch(/[\u200b\u202e]/);
    expect(problems).toEqual([]);
  });

  test.runIf(isFullRun)('may link to the console, which does not tell it anything', async () => {
    await using site = await startOtherSite(`<a href="${server.url}/_iam/console/users/alice">Alice</a>`);
    const page = await context.newPage();
    await page.goto(String(site.urls[0]));
    await page.getByRole('link').click();
    await page.getByRole('heading', { name: 'alice' }).waitFor();
    expect(await page.evaluate('window.opener')).toBeNull();
  });
});

/** What a shell passes to the command. The program of that name is replaced, so that nothing else runs. */
function readArguments(command: string): string[] {
  return execFileSync('bash', ['-c', `iam() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' }).split('\0');
}

/** Runs in the page. @returns what each attempt could read; `nothing` if the browser or the server prevented it */
async function attackByFetch(url: string): Promise<string[]> {
  const json = { 'Content-Type': 'application/json' };
  const attempts: [path: string, init: RequestInit][] = [
    ['/_iam/users', {}],
    ['/_iam/inbox', {}],
    ['/_iam/events', {}],
    ['/_iam/state', { credentials: 'include' }],
    ['/_iam/console/', {}],
    ['/_iam/openapi.json', {}],
    ['/_iam/state/reset', { method: 'POST' }],
    ['/_iam/state/reset', { method: 'POST', mode: 'no-cors' }],
    ['/_iam/state/reset', { method: 'POST', headers: { ...json, 'X-Requested-With': 'iam-console' } }],
    ['/_iam/users', { method: 'POST', mode: 'no-cors', body: '{"userId":"mallory"}' }],
    ['/_iam/users', { method: 'POST', headers: json, body: '{"userId":"mallory"}' }],
    ['/_iam/users/alice', { method: 'DELETE' }],
    ['/_iam/sessions', { method: 'POST', headers: json, body: '{"userId":"alice"}' }],
  ];
  return Promise.all(
    attempts.map(async ([path, init]) => {
      try {
        const response = await fetch(url + path, init);
        return response.type === 'opaque' ? 'nothing' : `${path}: ${response.status}`;
      } catch {
        return 'nothing';
      }
    }),
  );
}

/** Submits a form, which needs no permission of the other site. */
function attackByForm(page: Page, action: string): Promise<unknown> {
  return page.evaluate(`(() => {
    const form = Object.assign(document.createElement('form'), { method: 'POST', enctype: 'text/plain' });
    form.action = ${JSON.stringify(action)};
    document.body.append(form);
    form.submit();
  })()`);
}

const markup = '<img src=x onerror="window.isAttacked=true">';
const script = '"><script>window.isAttacked=true</script>';

/** Markup in each text that allows it. */
const hostileSeed: SeedDocument = {
  users: [{ userId: 'eve', userName: `eve ${markup}`, identities: [`login ${script}`] }],
  groups: [
    { groupName: `base ${markup}`, roles: ['VIEW'] },
    { groupName: `ops ${script}`, roles: ['DEPLOY'], dependencies: [{ groupName: `base ${markup}` }], users: ['eve'] },
  ],
  businesses: [{ businessId: 'acme', businessName: `Acme ${markup}` }],
};

describe.skipIf(!hasBrowser)('markup in names, messages and headers', () => {
  const { open, send } = useConsole({ seed: hostileSeed, isShared: true });
  beforeAll(async () => {
    const headers = { 'User-Agent': `agent ${markup}`, 'X-Request-Id': 'id', Referer: `http://x/?${script}` };
    await send(`/security/iam/v1/groups/${encodeURIComponent(markup)}?search=${encodeURIComponent(script)}`, {
      headers,
    });
    await send('/_iam/snapshots', { method: 'POST', body: { name: 'one' } });
  });

  async function expectText(path: string, ...texts: readonly string[]): Promise<Page> {
    const { page, problems } = await open(path);
    for (const text of texts) await page.getByText(text).first().waitFor();
    expect(await page.evaluate('window.isAttacked')).toBeUndefined();
    expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    expect(problems).toEqual([]);
    return page;
  }

  test('are text in users', async () => {
    await expectText('users', markup);
    const page = await expectText('users/eve', markup, script);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('window.isAttacked')).toBeUndefined();
  });

  test('are text in groups, their graph and the path of a role', async () => {
    const name = encodeURIComponent(`ops ${script}`);
    await expectText('groups', markup, script);
    await expectText(`groups/${name}`, script, markup);
    await expectText('groups?view=graph', markup, script);
    await expectText('groups?view=role&user=eve&role=VIEW', 'Yes:', script, markup);
  });

  test('are text in requests and their headers', async () => {
    const page = await expectText('requests', 'anonymous');
    // The middle of the row: a click anywhere in it opens it.
    await page.getByRole('row', { name: /anonymous/ }).click();
    await page.getByText(`agent ${markup}`).waitFor();
    expect(await page.evaluate('window.isAttacked')).toBeUndefined();
  });

  test('are text in addresses of the console', async () => {
    await expectText(`groups?search=${encodeURIComponent(`none ${script}`)}`, 'No groups match');
    await expectText(encodeURIComponent(script), 'Page not found');
  });
});
