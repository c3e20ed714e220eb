/** `iam clients rotate-secret`, `iam api-key rotate` and `iam clients update`. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { adminClient, startServer, type TestServer } from '../../../harness.ts';
import { iam, type RunOptions } from '../../run-cli.ts';

const clientSecret = 'secret-of-the-billing-client';
const apiKey = Buffer.alloc(32, 7).toString('base64');
const seed = {
  clients: [
    {
      clientId: 'c1',
      clientSecret,
      appId: 'billing',
      authorities: ['AUTH-BASIC', 'ADMIN'],
      scope: ['READ'],
      redirectURI: 'https://a.example.com/',
    },
  ],
  apiKeys: [{ apiKeyId: 'k1', appId: 'billing', clientId: 'c1', apiKey }],
};

function runner(server: TestServer) {
  const variables = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
  return (line: string, options: RunOptions = {}) => iam(line.split(' '), { url: server.url, variables, ...options });
}

describe.each([
  { words: 'clients rotate-secret c1', get: 'clients get c1', secret: 'clientSecret', ends: 'previousSecretEndsAt' },
  { words: 'api-key rotate k1', get: 'api-key get k1', secret: 'apiKey', ends: 'previousKeyEndsAt' },
])('$words', ({ words, get, secret, ends }) => {
  test('asks before the previous value fails at once, and not with an overlap', async () => {
    await using server = await startServer({ seed });
    const run = runner(server);
    const before = await server.dump();
    expect(await run(words)).toMatchObject({ code: 10, err: expect.stringContaining('--overlap keeps it valid') });
    expect((await run(`${words} --dry-run`)).out).toContain('POST');
    expect(await run(`${words} --keep oldest`)).toMatchObject({ code: 2 });
    expect(await run(`${words} --overlap 31d`)).toMatchObject({ code: 7, err: expect.stringContaining('0s to 30d') });
    expect(await server.dump()).toEqual(before);
    const { code, out, err } = await run(`${words} --overlap 1h -o json`);
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ [ends]: '2026-03-01T13:00:00.000Z' })]);
    expect(err).toContain('It is not shown again.');
    expect(JSON.parse((await run(`${get} -o json`)).out)).toMatchObject({ [ends]: '2026-03-01T13:00:00.000Z' });
    const list = await run(`${words.split(' ')[0]} list -o wide`);
    expect(list.out).toContain('2026-03-01T13:00:00.000Z');
    expect((await run(`${words} --yes`)).code).toBe(0);
    expect(JSON.parse((await run(`${get} -o json`)).out)).not.toHaveProperty(ends);
  });

  test('names --keep where two are valid, which repeats a rotation whose response was lost', async () => {
    await using server = await startServer({ seed });
    const run = runner(server);
    await run(`${words} --overlap 1h`);
    const repeated = await run(`${words} --overlap 1h`);
    expect(repeated).toMatchObject({ code: 6, err: expect.stringMatching(/OVERLAP_ACTIVE[\s\S]*--keep/) });
    expect((await run(`${words} --overlap 1h --keep oldest`)).code).toBe(0);
    const first = secret === 'apiKey' ? { apiKey } : { basic: { clientId: 'c1', clientSecret } };
    expect(await server.as(first).call('groups.list', {})).toMatchObject({ status: 200 });
  });

  test('writes the value to a file', async () => {
    await using server = await startServer({ seed });
    const folder = await mkdtemp(path.join(os.tmpdir(), 'iam-rotate-'));
    try {
      const file = path.join(folder, 'secret');
      const { code, out } = await runner(server)(`${words} --yes -o json --secret-output ${file}`);
      expect([code, JSON.parse(out)]).toEqual([0, expect.not.objectContaining({ [secret]: expect.anything() })]);
      expect((await readFile(file, 'utf8')).trim().length).toBeGreaterThan(20);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test('a rotation of the client in use says how to store the new secret', async () => {
  await using server = await startServer({ seed: { clients: [{ ...seed.clients[0], clientId: 'c1' }] } });
  const variables = { IAM_CLIENT_ID: 'c1', IAM_CLIENT_SECRET: clientSecret };
  const { code, err } = await iam(['clients', 'rotate-secret', 'id:c1', '--yes'], { url: server.url, variables });
  expect([code, err]).toEqual([0, expect.stringContaining('iam login --secret-file')]);
});

describe('clients update', () => {
  test('changes the named fields, and prints what changed', async () => {
    await using server = await startServer({ seed });
    const run = runner(server);
    const changed = await run(
      'clients update c1 --app-id shop --remove-redirect-uri https://a.example.com/ --add-scope WRITE --remove-scope READ',
    );
    const differences = '~ appId: billing -> shop, + scope WRITE, - scope READ, - redirectURI https://a.example.com/';
    expect(changed).toMatchObject({ code: 0, err: `c1 (billing): ${differences}\n` });
    const client = await server.appContext.store.clients.get('c1');
    expect(client).toMatchObject({ appId: 'shop', scope: ['WRITE'], grantTypes: ['client_credentials'] });
    expect(client).not.toHaveProperty('redirectURI');
    const before = await server.dump();
    expect(await run('clients update c1 --app-id shop')).toMatchObject({
      code: 0,
      err: 'c1 (shop): nothing to change\n',
    });
    expect(await run('clients update c1')).toMatchObject({ code: 2 });
    expect(await run('clients update c1 --add-scope X --remove-scope X')).toMatchObject({ code: 2 });
    expect(await run('clients update c1 --add-authority AUTH-MFA --dry-run')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/PATCH[\s\S]*"authorities"/),
    });
    expect(await run('clients update unknown --app-id x')).toMatchObject({ code: 3 });
    expect(await server.dump()).toEqual(before);
  });

  test('keeps what others change at the same time', async () => {
    await using server = await startServer({ seed });
    const run = runner(server);
    const scopes = ['a', 'b', 'c', 'd'];
    const results = await Promise.all(scopes.map((scope) => run(`clients update c1 --add-scope ${scope}`)));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const client = await server.appContext.store.clients.get('c1');
    expect([...(client?.scope ?? [])].sort()).toEqual(['READ', ...scopes].sort());
  });
});

test('api-key update prints no key', async () => {
  await using server = await startServer({ seed });
  const other = Buffer.alloc(32, 8).toString('base64');
  const run = runner(server);
  for (const format of ['table', 'json', 'table --dry-run']) {
    const { code, out, err } = await run(`api-key update k1 --api-key-file - -o ${format}`, { stdin: other });
    expect(code, err).toBe(0);
    expect(out + err).not.toContain(other);
    expect(err).toContain('apiKey: replaced');
  }
});
