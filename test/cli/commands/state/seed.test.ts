import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { startFakeServer } from '../../../client/fake-server.ts';
import { adminClient, startServer } from '../../../harness.ts';
import { createScriptedPrompter } from '../../prompts/scripted-prompter.ts';
import { Home, test } from '../../run-cli.ts';

const credentials = { IAM_CLIENT_ID: adminClient.clientId, IAM_CLIENT_SECRET: adminClient.clientSecret };
const yaml = `# a comment
users:
  - userId: ann
    password: correct horse battery staple
groups:
  - groupName: ops
    users: [ann]
`;

async function open(flags: Record<string, string> = {}) {
  const home = await Home.make();
  const server = await startServer({ flags });
  await writeFile(home.file('seed.yaml'), yaml);
  return {
    home,
    server,
    run: { url: server.url, variables: credentials },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

describe('state seed', () => {
  test('applies a file and prints the counts, as a table and as the response', async () => {
    await using opened = await open();
    const { home, run } = opened;
    expect(await home.iam(['state', 'seed', home.file('seed.yaml')], run)).toEqual({
      code: 0,
      out: 'KIND    CREATED  UPDATED  UNCHANGED\nusers   1        0        0\ngroups  1        0        0\n',
      err: '',
    });
    const again = await home.iam(['state', 'seed', '-', '-o', 'json'], { ...run, stdin: yaml });
    expect(JSON.parse(again.out)).toEqual({
      users: { created: 0, updated: 0, unchanged: 1 },
      groups: { created: 0, updated: 0, unchanged: 1 },
    });
    const csv = await home.iam(['state', 'seed', home.file('seed.yaml'), '-o', 'csv'], run);
    expect(csv.out).toBe('kind,created,updated,unchanged\nusers,0,0,1\ngroups,0,0,1\n');
    expect(await home.iam(['state', 'seed', '-'], { ...run, stdin: '{}' })).toEqual({
      code: 0,
      out: '',
      err: 'The seed contains no entries.\n',
    });
  });

  test('prints each error of the document with its path, and applies nothing', async () => {
    await using opened = await open();
    const { home, server, run } = opened;
    const before = await server.dump();
    const invalid = { users: [{ userId: 'u', pasword: 'x' }], groups: [{ groupName: 'a', roles: 7 }] };
    const { code, out, err } = await home.iam(['state', 'seed', '-'], { ...run, stdin: JSON.stringify(invalid) });
    expect([code, out]).toEqual([7, '']);
    expect(err).toContain('users[0].pasword');
    expect(err).toContain('groups[0].roles');
    for (const stdin of ['', '[]', '{'])
      expect((await home.iam(['state', 'seed', '-'], { ...run, stdin })).code).toBe(2);
    expect((await home.iam(['state', 'seed', home.file('missing.yaml')], run)).code).toBe(2);
    expect((await server.dump()).users).toEqual(before.users);
    expect((await server.dump()).groups).toEqual(before.groups);
  });

  test.each<[string, string, readonly string[]]>([
    ['of the document, in YAML', 'users:\n  - userId: u\n    pasword: x\n', [':3:5: Unknown field: users[0].pasword.']],
    [
      'of the document, in JSON',
      '{\n  "groups": [\n    {"groupName": "a", "roles": ["A", 7]}\n  ],\n  "x": 1\n}',
      [':3:39: groups[0].roles[1] must be', ':5:3: Unknown field: x.'],
    ],
    [
      'that only the server knows',
      'groups:\n  - groupName: ops\n    users: [gone, also]\n  - {groupName: a, users: [gone]}\n',
      [':3:13: groups[0].users[0]', ':4:28: groups[1].users[0]'],
    ],
    ['of its settings', 'settings:\n  user-token-lifetime: 5\n', [':2:3: settings.user-token-lifetime']],
  ])('prints the places of errors %s', async (_, text, places) => {
    await using opened = await open();
    const { home, run } = opened;
    const file = home.file('wrong.yaml');
    await writeFile(file, text);
    const { code, err } = await home.iam(['state', 'seed', file], run);
    expect(code).toBe(7);
    for (const place of places) expect(err).toContain(`${file}${place}`);
    expect(err).not.toMatch(/\.\.$/m);
    const piped = await home.iam(['sandbox', 'create', 'box', '--seed', '-'], { ...run, stdin: text });
    // A sandbox has no settings of its own, and none are compared.
    if (!text.startsWith('settings')) expect(piped.err).toContain(`standard input${places[0]?.split(' ')[0]} `);
  });

  test('previews the request without secrets', async ({ home }) => {
    await using server = await startFakeServer(() => ({}));
    const { out } = await home.iam(['state', 'seed', '-', '--dry-run'], { url: server.url, stdin: yaml });
    expect(out).toContain(`POST ${server.url}/_iam/seed\n`);
    expect(out).toContain('"userId": "ann"');
    expect(out).not.toContain('correct horse');
    expect(server.received).toEqual([]);
  });

  test('requires host:port for a durable store', async () => {
    await using opened = await open({ store: 'file' });
    const { home, server, run } = opened;
    const { host } = new URL(server.url);
    const words = ['state', 'seed', home.file('seed.yaml')];
    const before = (await server.dump()).users;
    for (const more of [[], ['--yes']]) {
      const { code, err } = await home.iam([...words, ...more], run);
      expect([code, err]).toEqual([10, expect.stringContaining(`--confirm ${host}`)]);
    }
    expect((await home.iam([...words, '--confirm', 'other:1'], run)).code).toBe(2);
    const wrong = { ...run, columns: 80, ...createScriptedPrompter('yes') };
    expect((await home.iam(words, wrong)).code).toBe(1);
    expect((await server.dump()).users).toEqual(before);
    expect((await home.iam(words, { ...run, columns: 80, ...createScriptedPrompter(host) })).code).toBe(0);
    expect((await home.iam([...words, '--confirm', host], run)).code).toBe(0);
    expect(await server.appContext.store.users.get('ann')).toBeDefined();
  });
});
