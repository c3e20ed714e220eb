import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../src/server/config/settings.ts';
import { collectStartWarnings } from '../../../src/server/start-warnings.ts';
import { createLauncher, type Launcher } from './spawn.ts';

type Flags = Readonly<Record<string, string | boolean>>;

const clear = /without TLS/;
const unusable = /base URL/;
const remote = { host: '0.0.0.0', 'allow-remote': true };
const tls = { 'tls-cert': 'c', 'tls-key': 'k' };

/** @param address the default base URL. */
const warningsOf = (flags: Flags, address: string) => {
  const settings = readSettings(flags, {});
  return collectStartWarnings({ settings, baseUrl: settings.baseUrl ?? address, seed: undefined });
};

describe('a start warns', () => {
  test.each([
    [{}, 'http://127.0.0.1:1', []],
    [{ 'allow-remote': true }, 'http://127.0.0.1:1', []],
    [remote, 'http://0.0.0.0:1', [clear, unusable]],
    [{ ...remote, host: '::' }, 'http://[::]:1', [clear, unusable]],
    [{ ...remote, ...tls }, 'https://0.0.0.0:1', [unusable]],
    [{ ...remote, 'base-url': 'http://iam.example' }, '', [clear]],
    [{ ...remote, 'base-url': 'https://iam.example' }, '', []],
    [{ ...remote, ...tls, 'base-url': 'http://localhost:1' }, '', [unusable]],
    [{ ...remote, host: '10.0.0.5' }, 'http://10.0.0.5:1', [clear]],
  ] as [Flags, string, RegExp[]][])('%j at %s', (flags, address, expected) => {
    const warnings = warningsOf(flags, address);
    expect(warnings).toHaveLength(expected.length);
    for (const [at, pattern] of expected.entries()) expect(warnings[at]).toMatch(pattern);
  });

  test('of a folder that is not used', () => {
    const flags = { store: 'postgres', 'database-url': 'postgres://iam@127.0.0.1/iam' };
    const address = 'http://127.0.0.1:1';
    expect(warningsOf(flags, address)).toEqual([]);
    expect(warningsOf({ data: 'data/other' }, address)).toEqual([]);
    expect(warningsOf({ ...flags, data: 'data/other' }, address)).toEqual([
      expect.stringContaining('the folder data/other is not used'),
    ]);
  });

  test('of short configured client secrets, with the names of their clients', () => {
    const settings = readSettings({}, { IAM_ADMIN_CLIENT_SECRET: 'canary-of-19-signs!' });
    const clients = [
      { clientId: 'short', clientSecret: 'canary-too-short' },
      { clientId: 'emoji', clientSecret: '😀'.repeat(19) },
      { clientId: 'long', clientSecret: 'x'.repeat(20) },
      { clientId: 'none' },
    ];
    const [warning, ...others] = collectStartWarnings({
      settings,
      baseUrl: 'http://127.0.0.1:1',
      seed: { clients } as never,
    });
    expect(others).toEqual([]);
    expect(warning).toMatch(/fewer than 20 characters.*: IAM_ADMIN_CLIENT_SECRET, .*"short".*"emoji"/);
    expect(warning).not.toMatch(/canary|😀|"long"|"none"/);
  });
});

describe('as a process', () => {
  let launcher: Launcher;
  beforeAll(async () => {
    launcher = await createLauncher();
  });
  afterAll(() => launcher.remove());
  const environment = { IAM_ADMIN_CLIENT_SECRET: 'canary' };

  test('prints warnings on standard error before it is ready', async () => {
    const run = launcher.start({ flags: { ...remote, json: false, store: 'memory' }, environment });
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('Ctrl-C');
    expect(run.stderr().match(/^warning: [^\n]+$/gm)).toHaveLength(3);
    expect(run.stdout() + run.stderr()).not.toContain('canary');
    run.process.kill('SIGTERM');
    expect(await run.exit()).toBe(0);
  });

  test('with --json adds warnings to the ready line and the log', async () => {
    const run = launcher.start({ flags: { ...remote, store: 'memory' }, environment });
    const ready = (await run.ready()) as { warnings?: string[] };
    expect(ready.warnings).toHaveLength(3);
    const logged = run
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    expect(logged).toMatchObject(ready.warnings?.map((msg) => ({ level: 'warn', msg })) ?? []);
    expect(run.stdout() + run.stderr()).not.toContain('canary');
    run.process.kill('SIGTERM');
    expect(await run.exit()).toBe(0);
  });
});
