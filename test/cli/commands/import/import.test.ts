/** Exports of other services become seeds, with which users log in as before. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportNote } from '../../../../src/server/seed/convert/report.ts';
import { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, startServer } from '../../../harness.ts';
import { basic, post } from '../../../server/operations/user-identities/login-fixtures.ts';
import { createCredential, password } from '../../../server/seed/convert/keycloak-fixtures.ts';
import { Home } from '../../run-cli.ts';

let home: Home;

beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home[Symbol.asyncDispose]());

const createRealm = async () => ({
  realm: 'example',
  users: [
    {
      id: 'u-alice',
      username: 'alice',
      enabled: true,
      email: 'alice@example.com',
      emailVerified: true,
      credentials: [await createCredential()],
      realmRoles: ['chief', 'default-roles-example'],
      groups: ['/staff/ops'],
    },
    {
      id: 'u-bob',
      username: 'bob',
      email: 'bob@example.com',
      enabled: false,
      credentials: [{ type: 'password', credentialData: '{"algorithm":"pbkdf2-sha256"}' }, { type: 'otp' }],
      groups: ['/gone'],
    },
    { username: 'Alice', enabled: true },
    { id: 'u-evil', enabled: true, username: 'a\u0000b' },
    { username: 'service-account-job', enabled: true, serviceAccountClientId: 'job', clientRoles: { job: ['run'] } },
  ],
  groups: [
    {
      name: 'staff',
      realmRoles: ['employee'],
      subGroups: [{ name: 'ops', clientRoles: { job: ['run'] }, subGroups: [] }],
    },
  ],
  roles: {
    realm: [
      { name: 'employee' },
      { name: 'chief', composites: { realm: ['auditor'] } },
      { name: 'auditor', composites: { realm: ['reader'] } },
      { name: 'reader', composites: { realm: ['auditor'] } },
    ],
    client: { job: [{ name: 'run' }] },
  },
  clients: [
    {
      clientId: 'job',
      secret: 'a-secret-of-a-job',
      serviceAccountsEnabled: true,
      redirectUris: ['https://job.example/*'],
    },
    { clientId: 'page', publicClient: true, redirectUris: ['https://page.example/done'] },
    { clientId: 'hidden', secret: '**********' },
    { clientId: 'account' },
  ],
  identityProviders: [{ alias: 'other' }],
});

/** Converts a document. @returns the outcome, and the files that were written */
async function convert(kind: string, text: string, options: readonly string[] = []) {
  const [file, to] = [
    path.join(home.folder, `${crypto.randomUUID()}.json`),
    path.join(home.folder, `${crypto.randomUUID()}.json`),
  ];
  await writeFile(file, text);
  const result = await home.iam(['import', kind, file, '--to', to, ...options]);
  const read = (name: string) => readFile(name, 'utf8').catch(() => undefined);
  const [seed, report] = [await read(to), await read(to.replace('.json', '.report.jsonl'))];
  const notes = report
    ?.split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ImportNote);
  return {
    ...result,
    file,
    to,
    notes: notes?.map(({ outcome, kind: what, name, reason }) => `${outcome}: ${what} ${name}: ${reason}`),
    seed: seed === undefined ? undefined : await SeedDocument.parseAsync(JSON.parse(seed)),
  };
}

describe('a realm of Keycloak', () => {
  test('is served: users log in with their passwords, and have their roles', async () => {
    const secretOutput = path.join(home.folder, crypto.randomUUID());
    const { code, seed, to } = await convert('keycloak', JSON.stringify(await createRealm()), [
      '--secret-output',
      secretOutput,
    ]);
    expect(code).toBe(8);
    if (process.platform !== 'win32')
      for (const file of [to, to.replace('.json', '.report.jsonl'), secretOutput])
        expect((await stat(file)).mode & 0o777).toBe(0o600);
    await using server = await startServer({ seed: seed ?? {} });
    const login = await post(server, `/user-identities/login?clientId=${appClientId}`, {
      authorization: basic('alice', password),
    });
    expect(login.status).toBe(201);
    const { authorities } = decodeJwt((login.json as { accessToken: string }).accessToken);
    expect(authorities).toEqual(
      expect.arrayContaining(['ROLE_auditor', 'ROLE_chief', 'ROLE_employee', 'ROLE_job.run', 'ROLE_reader']),
    );
    const row = await server.appContext.store.users.get('u-bob');
    expect([row?.locked, row?.passwordHash]).toEqual([true, undefined]);
    const hidden = JSON.parse(await readFile(secretOutput, 'utf8')) as { clientId: string; clientSecret: string };
    expect(hidden.clientId).toBe('hidden');
    for (const service of [{ clientId: 'job', clientSecret: 'a-secret-of-a-job' }, hidden])
      expect((await server.as(service).clientIdentities.login()).accessToken).toBeDefined();
  });

  test('is reported: counts on the terminal, reasons in a file', async () => {
    const { out, err, notes } = await convert('keycloak', JSON.stringify(await createRealm()), [
      '--secret-output',
      path.join(home.folder, crypto.randomUUID()),
    ]);
    expect(out.split('\n').map((line) => line.trim().split(/ {2,}/).join('|'))).toEqual(
      expect.arrayContaining([
        'KIND|ARRIVED|CHANGED|LEFT OUT',
        'users|4|0|0',
        'passwords|1|0|3',
        'second factors|0|0|1',
        'user names|0|1|1',
        'clients|3|1|0',
      ]),
    );
    for (const line of [
      'left out: passwords bob: must have an algorithm in credentialData and a value in secretData, as Keycloak exports',
      'changed: groups /staff/ops: is staff.ops',
      'changed: service accounts job: is service-job',
      'changed: clients hidden: has a new secret: the file does not contain its secret',
      'left out: second factors otp of bob: must be registered again',
      'left out: memberships bob in /gone: the group is not in the file',
      'left out: user names Alice: another user logs in with it',
      'left out: identity providers other: is of the kind ; a provider needs issuer, clientId and jwksUrl, or is SAML',
    ])
      expect(notes).toContain(line);
    expect(err).toMatch(/error: Something that logs in or grants roles was lost: .*second factors \(1\)/);
    expect(out + err + String(notes)).not.toContain('a-secret-of-a-job');
  });
});

test('a member that an export repeats counts as in Keycloak: the last one, with a note', async () => {
  const users = (name: string) => `"users":[{"username":"${name}"}]`;
  const { code, seed, notes } = await convert('keycloak', `{"realm":"example",${users('first')},${users('last')}}`);
  expect([code, seed?.users?.map(({ userName }) => userName)]).toEqual([0, ['last']]);
  expect(notes).toContainEqual(expect.stringMatching(/^left out: repeated members .*: line 1, column 5\d: /));
});

describe('nothing is written', () => {
  test.each([
    ['text that is not JSON', 'keycloak', '{"users":[', 2],
    ['a document that is no realm', 'keycloak', '{"users":[]}', 2],
    ['a realm whose users are no list', 'keycloak', '{"realm":"example","users":{}}', 2],
    ['a line that is not JSON', 'auth0', '{"email":', 2],
    ['a line without a name', 'auth0', '{"hello":1}', 2],
  ])('for %s', async (_, kind, text, code) => {
    const result = await convert(kind, text);
    expect([result.code, result.seed]).toEqual([code, undefined]);
  });

  test('without a file for the secrets that it makes', async () => {
    const { code, seed, err } = await convert('keycloak', JSON.stringify(await createRealm()));
    expect([code, seed]).toEqual([2, undefined]);
    expect(err).toContain('1 client gets a new secret, as the export does not contain the former one.');
    expect(err).toContain('Add --secret-output FILE');
  });

  test('into one file for two contents', async () => {
    const { code, seed } = await convert('keycloak', '{"realm":"example"}', ['--report', 'x', '--secret-output', 'x']);
    expect([code, seed]).toEqual([2, undefined]);
  });

  test('over a file that exists', async () => {
    const { file, to } = await convert('auth0', '{"email":"carol@example.com"}');
    const before = await readFile(to, 'utf8');
    const again = await home.iam(['import', 'auth0', file, '--to', to]);
    expect([again.code, await readFile(to, 'utf8')]).toEqual([2, before]);
  });
});
