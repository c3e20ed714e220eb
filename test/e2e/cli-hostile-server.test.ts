import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { startFakeServer, tokenResponse } from '../client/fake-server.ts';
import { Sandbox } from './cli-process.ts';

const secrets: readonly Readonly<Record<string, string>>[] = [
  { IAM_TOKEN: 'canary' },
  { IAM_API_KEY: 'canary' },
  { IAM_CLIENT_ID: 'app', IAM_CLIENT_SECRET: 'canary' },
  { IAM_CLIENT_ID: 'app', IAM_USERNAME: 'ann', IAM_PASSWORD: 'canary' },
];

/** A non-loopback address of this machine. */
const elsewhere = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

describe('the built command', () => {
  test('sends credentials over http to another host only if allowed', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(({ path }) =>
      path.includes('login') ? tokenResponse('t') : { json: path.includes('/groups') ? [] : {} },
    );
    const url = elsewhere(server.url);
    for (const variables of secrets) {
      const { code, out, err } = await sandbox.iam(['groups', 'list'], { ...variables, IAM_BASE_URL: url });
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`error: ${url} is an http URL of another host (IAM_BASE_URL)`);
    }
    const login = ['login', '--base-url', url, '--client-id', 'app', '--secret-stdin'];
    expect((await sandbox.iam(login, {}, 'canary')).code).toBe(2);
    expect(server.received).toEqual([]);

    expect((await sandbox.iam([...login, '--insecure-http'], {}, 'canary')).code).toBe(0);
    expect((await sandbox.iam(['groups', 'list'])).code).toBe(2);
    expect(server.received).toHaveLength(1);
    expect((await sandbox.iam(['groups', 'list'], { IAM_INSECURE_HTTP: 'true' })).code).toBe(0);
    const profiles = sandbox.file('config/iam/config.json');
    expect(await readFile(profiles, 'utf8')).not.toMatch(/insecure/i);
    expect((await stat(profiles)).mode & 0o777).toBe(0o600);
  });

  test('does not send environment credentials to the server of a project file', async () => {
    await using sandbox = await Sandbox.make();
    await using server = await startFakeServer(() => ({ json: [] }));
    await writeFile(sandbox.file('.iamrc.json'), JSON.stringify({ baseUrl: server.url }));
    for (const variables of secrets)
      expect(await sandbox.iam(['groups', 'list'], variables)).toMatchObject({
        code: 4,
        err: expect.stringContaining('are not sent to a server that a project file selects'),
      });
    expect(await sandbox.iam(['env'], secrets[0])).toMatchObject({ code: 4, out: '' });
    await sandbox.iam(['doctor'], secrets[0]);
    await sandbox.iam(['__complete', '--', 'groups', 'get', ''], secrets[0]);
    expect(server.received).toEqual([]);
    expect((await sandbox.iam(['groups', 'list', '--base-url', server.url], secrets[0])).code).toBe(0);
  });

  test('escapes terminal control sequences and formulas from a server', async () => {
    await using sandbox = await Sandbox.make();
    const groupName = '=x\u001b]0;title\u0007\u009b31m\u202e\ufeff\r';
    await using server = await startFakeServer(() => ({ json: [{ groupId: 'g', groupName }] }));
    const variables = { IAM_BASE_URL: server.url, IAM_TOKEN: 't' };
    const printed = async (...words: string[]) => (await sandbox.iam(['groups', 'list', ...words], variables)).out;
    const escaped = String.raw`=x\u001b]0;title\u0007\u009b31m\u202e\ufeff`;
    expect(await printed('-o', 'name')).toBe(`${escaped}\\r\n`);
    expect(await printed('-o', 'csv', '--columns', 'groupName')).toBe(`groupName\n'${escaped}\\u000d\n`);
    expect(await printed('-o', 'csv', '--columns', 'groupName', '--csv-raw')).toBe(`groupName\n${escaped}\\u000d\n`);
    expect(await printed('-o', 'jsonl', '--query', '[].groupName')).toBe(`"${escaped}\\r"\n`);
    expect(await printed('-o', 'table', '--columns', 'groupName')).toContain(`\n${escaped}\\r\n`);
    for (const format of ['json', 'yaml', 'wide', 'name'])
      expect((await printed('-o', format)).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\ufeff]/u);
  });
});
