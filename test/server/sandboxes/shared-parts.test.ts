/** What a sandbox shares with the server: a test for each part of the list, which docs/secure.md contains. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { AppContext } from '../../../src/server/app-context.ts';
import { type SettingKey, type Settings, settingsTable } from '../../../src/server/config/settings.ts';
import { withoutServerSettings } from '../../../src/server/sandboxes/sandbox-settings.ts';
import { pickShared, sharedParts } from '../../../src/server/sandboxes/shared-parts.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { createMemorySink } from '../audit/memory-sink.ts';
import { send } from '../control/control-client.ts';

const audit = createMemorySink();
let server: TestServer;
let sandbox: AppContext;
beforeAll(async () => {
  server = await startServer({ audit });
  ({ appContext: sandbox } = await server.appContext.sandboxes.create('one', {}));
});
afterAll(() => server[Symbol.asyncDispose]());

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/secure.md'), 'utf8');

/** By part: what is shared, and how it is kept apart. */
const checks: Readonly<Record<(typeof sharedParts)[number]['name'], () => Promise<void> | void>> = {
  async network() {
    expect(sandbox.baseUrl).toBe(`${server.url}/s/one`);
    // Outgoing connections: outgoing-connections.test.ts.
    expect(sandbox.settings).toMatchObject({ smsHookUrl: undefined, smtpUrl: undefined, mainframeUrl: undefined });
  },
  async audit() {
    expect(sandbox.audit).toBe(server.appContext.audit);
    const lines = server.log.length;
    for (const level of ['error', 'warn', 'info'] as const) sandbox.log[level]({ event: 'any' }, 'a line');
    for (const line of server.log.slice(lines))
      expect(JSON.parse(line)).toMatchObject({ sandbox: 'one', event: 'any' });
    expect(server.log.length).toBe(lines + 3);
    const headers = { Authorization: `Basic ${btoa('unknown:wrong')}` };
    await send(server, `/s/one${servicePrefix}/groups`, { headers });
    await expect.poll(() => audit.text()).toContain('"sandbox":"one"');
  },
  limits() {
    expect(sandbox.hashQueue).toBe(server.appContext.hashQueue);
    expect(sandbox.growthLimits).toBe(server.appContext.growthLimits);
    expect(sandbox.throttles).not.toBe(server.appContext.throttles);
  },
  disk() {
    expect(sandbox.settings).toMatchObject({ store: 'memory', signingKey: undefined, seed: undefined });
    expect(sandbox.store).not.toBe(server.appContext.store);
  },
  memory() {
    expect(sandbox.store.health()).toMatchObject({ writable: true });
  },
  code() {
    for (const name of ['timer', 'random', 'ids', 'docsPageFiles', 'consoleFiles'] as const)
      expect([name, sandbox[name] === server.appContext[name]]).toEqual([name, true]);
  },
};

describe.each(sharedParts)('$name', ({ name, shared, separation }) => {
  test('is shared as listed', () => checks[name]());
  test('is in the documentation', () => expect(page).toContain(`| ${name} | ${shared} | ${separation} |`));
});

test('the documentation lists nothing else', () => {
  const rows = page.split('| Part | Shared | Separate |')[1]?.split('\n\n')[0]?.trim().split('\n').slice(1);
  expect(rows).toHaveLength(sharedParts.length);
});

test('a sandbox with its own seed has no setting that names a file, an external system or a secret', () => {
  const optional = Object.entries(settingsTable).flatMap(([key, setting]) => ('default' in setting ? [] : [key]));
  const set = withoutServerSettings(Object.fromEntries(optional.map((key) => [key, 'set'])) as unknown as Settings);
  // A new setting belongs here or to those that are removed.
  expect(optional.filter((key) => set[key as SettingKey] === 'set')).toEqual([
    'issuer',
    'baseUrl',
    'chosenIds',
    'loginCertificates',
    'auditLog',
  ]);
});

test('nothing else of the server is passed to a sandbox', () => {
  const names = sharedParts.flatMap(({ deps }): readonly string[] => deps);
  expect(Object.keys(pickShared(server.appContext))).toEqual(names);
  const own = new Set<unknown>(Object.values(sandbox).filter((value) => typeof value === 'object' && value !== null));
  const others = Object.entries(server.appContext).filter(([, value]) => own.has(value));
  // Without data: the same for all contexts.
  expect(others.map(([name]) => name).filter((name) => !names.includes(name))).toEqual([]);
});
