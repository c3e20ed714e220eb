/** Exports of other services become seeds, with which users log in as before. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeedDocument } from '../../../../src/server/seed/schema.ts';
import { appClientId, startServer } from '../../../harness.ts';
import { basic, post } from '../../../server/operations/user-identities/login-fixtures.ts';
import { Home } from '../../run-cli.ts';

const password = 'correct horse battery staple';
let home: Home;

beforeAll(async () => {
  home = await Home.make();
});
afterAll(() => home[Symbol.asyncDispose]());

const pad = (base64: string) => Buffer.from(base64, 'base64').toString('base64');

/** An Argon2id hash as Keycloak exports it. */
async function createCredential(): Promise<object> {
  const [, , , , salt = '', value = ''] = (await hash(password, { memoryCost: 7168, timeCost: 5 })).split('$');
  const additionalParameters = {
    type: ['id'],
    version: ['1.3'],
    memory: ['7168'],
    parallelism: ['1'],
    hashLength: ['32'],
  };
  return {
    type: 'password',
    credentialData: JSON.stringify({ hashIterations: 5, algorithm: 'argon2', additionalParameters }),
    secretData: JSON.stringify({ value: pad(value), salt: pad(salt) }),
  };
}

const createRealm = async () => ({
  realm: 'example',
  users: [
    {
      id: 'u-alice',
      username: 'alice',
      email: 'alice@example.com',
      emailVerified: true,
      credentials: [await createCredential()],
      realmRoles: ['auditor', 'default-roles-example'],
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
    { username: 'Alice' },
    { id: 'u-evil', username: 'a\u0000b' },
    { username: 'service-account-job', serviceAccountClientId: 'job', clientRoles: { job: ['run'] } },
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

/** Converts a document. @returns the outcome, and the seed if one was written */
async function convert(kind: string, text: string, options: readonly string[] = []) {
  const [file, to] = [
    path.join(home.folder, `${crypto.randomUUID()}.json`),
    path.join(home.folder, crypto.randomUUID()),
  ];
  await writeFile(file, text);
  const result = await home.iam(['import', kind, file, '--to', to, ...options]);
  const seed = await readFile(to, 'utf8').catch(() => undefined);
  return {
    ...result,
    file,
    to,
    seed: seed === undefined ? undefined : await SeedDocument.parseAsync(JSON.parse(seed)),
  };
}

describe('a realm of Keycloak', () => {
  test('is served: users log in with their passwords, and have their roles', async () => {
    const { code, seed, to } = await convert('keycloak', JSON.stringify(await createRealm()));
    expect(code).toBe(0);
    if (process.platform !== 'win32') expect((await stat(to)).mode & 0o777).toBe(0o600);
    await using server = await startServer({ seed: seed ?? {} });
    const login = await post(server, `/user-identities/login?clientId=${appClientId}`, {
      authorization: basic('alice', password),
    });
    expect(login.status).toBe(201);
    const rolesOf = async (userId: string) => {
      const roles = await server.admin.userAccesses.listUserRoles({ params: { userId } });
      return roles.map((role) => (typeof role === 'string' ? role : (role as { role: string }).role)).sort();
    };
    expect(await rolesOf('u-alice')).toEqual(expect.arrayContaining(['auditor', 'employee', 'job.run', 'reader']));
    const row = await server.appContext.store.users.get('u-bob');
    expect([row?.locked, row?.passwordHash]).toEqual([true, undefined]);
    const service = { clientId: 'job', clientSecret: 'a-secret-of-a-job' };
    const { accessToken } = await server.as(service).clientIdentities.login();
    const [, payload = ''] = accessToken.split('.');
    expect(Buffer.from(payload, 'base64url').toString()).toContain('ROLE_job.run');
  });

  test('is reported: what was changed, and what was left out', async () => {
    const { err } = await convert('keycloak', JSON.stringify(await createRealm()));
    for (const line of [
      'Converted 2 clients, 2 users, 5 groups; changed 3, left out 8.',
      'changed: user bob: must set a new password: its hash is not Argon2id, or too costly',
      'changed: group /staff/ops: is staff.ops',
      'changed: service account job: is service-job',
      'left out: e-mail address bob: is not verified',
      'left out: credential otp of bob: must be registered again',
      'left out: membership bob in /gone: the group is not in the file',
      'left out: user Alice: another one has this name or e-mail address',
      'left out: client hidden: the file does not contain its secret',
      'left out: redirect URIs job: a client has one, without a wildcard',
      'left out: identityProviders 1 entries: are not converted',
    ])
      expect(err).toContain(line);
    expect(err).toMatch(/left out: user a\\u0000b: userName /);
    expect(err).not.toContain('a-secret-of-a-job');
  });
});

/** A realm with one role of this name, which a user, a service account and a group have. */
const realmWithRole = (role: string, clientId = 'job') => ({
  realm: 'example',
  users: [
    { id: 'u-petra', username: 'petra', realmRoles: [role], groups: ['/staff'] },
    { username: 'service', serviceAccountClientId: clientId, realmRoles: [role], groups: ['/staff'] },
  ],
  groups: [{ name: 'staff', realmRoles: [role] }],
  roles: { realm: [{ name: role }] },
  clients: [{ clientId, secret: 'a-secret-of-a-job', serviceAccountsEnabled: true }],
});

describe('a realm whose entries the service would reject', () => {
  test('keeps service accounts in their groups', async () => {
    const { seed } = await convert('keycloak', JSON.stringify(realmWithRole('deploy')));
    const members = { roles: ['deploy'], users: ['u-petra'], services: ['service-job'] };
    expect(seed?.groups).toEqual([
      { groupName: 'staff', ...members },
      { groupName: 'role deploy', ...members },
    ]);
  });

  test.each(['USER', 'ROLE_ADMIN', 'auth-mfa', 'iam_admin_read_only', 'businessadmin'])(
    'loses the role %s, which is one of the service, but no group or member',
    async (role) => {
      const { seed, err } = await convert('keycloak', JSON.stringify(realmWithRole(role)));
      expect(err).toMatch(
        /left out: role \S+: \S+ (is|differs in case only from) a role of this service; rename the role/,
      );
      expect(seed?.groups).toEqual([{ groupName: 'staff', roles: [], users: ['u-petra'], services: ['service-job'] }]);
      await using server = await startServer({ seed: seed ?? {} });
      expect(await server.appContext.store.users.get('u-petra')).toBeDefined();
    },
  );

  test('loses a client with an id that is not possible here, and keeps the other members of its groups', async () => {
    const { seed, err } = await convert('keycloak', JSON.stringify(realmWithRole('deploy', 'https://api.example/')));
    expect(err).toContain('left out: client https://api.example/: clientId must be ');
    expect(seed?.clients).toEqual([]);
    expect(seed?.groups).toMatchObject([
      { groupName: 'staff', users: ['u-petra'], services: [] },
      { groupName: 'role deploy', users: ['u-petra'], services: [] },
    ]);
  });

  test('loses a user whose name is the id of another one, and a group with the name of one of the service', async () => {
    const users = [
      { id: 'u-1', username: 'first', groups: ['/iam-administrators', '/staff'] },
      { id: 'u-2', username: 'u-1', groups: ['/staff'] },
    ];
    const groups = [{ name: 'staff' }, { name: 'iam-administrators' }];
    const { code, seed, err } = await convert('keycloak', JSON.stringify({ realm: 'example', users, groups }));
    expect(code).toBe(0);
    expect(err).toMatch(/left out: user u-1: \w+/);
    expect(err).toContain('left out: group iam-administrators: the service has a group of this name');
    expect(seed?.groups).toEqual([{ groupName: 'staff', roles: [], users: ['u-1'], services: [] }]);
    await using server = await startServer({ seed: seed ?? {} });
    expect(await server.appContext.store.users.get('u-2')).toBeUndefined();
  });
});

describe('users of Auth0', () => {
  const lines = [
    '{"user_id":"auth0|1","email":"carol@example.com","email_verified":true}',
    '',
    '{"user_id":"auth0|2","username":"dave","email":"dave@example.com","blocked":true,"app_metadata":{"plan":"x"}}',
    '{"user_id":"google-oauth2|3","email":"CAROL@example.com","email_verified":true}',
    '{"user_id":"sms|4","phone_number":"+15550100"}',
  ];

  test('are converted line by line', async () => {
    const { code, seed, err } = await convert('auth0', lines.join('\n'));
    expect(code).toBe(0);
    expect(seed?.users).toEqual([
      { userId: 'auth0-1', userName: 'carol@example.com', userEmail: 'carol@example.com' },
      { userId: 'auth0-2', userName: 'dave', locked: true },
      { userId: 'sms-4' },
    ]);
    for (const line of [
      'left out: app_metadata dave: is not converted',
      'left out: e-mail address dave: is not verified',
      'left out: phone_number sms-4: is not converted',
      'left out: user CAROL@example.com: another one has this name or e-mail address',
      'changed: user dave: must set a new password: the file has no Argon2id hash, or one that is too costly',
    ])
      expect(err).toContain(line);
    expect(err).not.toContain('changed: user CAROL@example.com');
    await using server = await startServer({ seed: seed ?? {} });
    expect(await server.appContext.store.users.get('auth0-2')).toMatchObject({ locked: true });
  });

  test('keep a password that a bulk import contains as an Argon2id hash', async () => {
    const value = await hash(password, { memoryCost: 7168, timeCost: 5 });
    const user = { username: 'erin', custom_password_hash: { algorithm: 'argon2', hash: { value } } };
    const { seed, err } = await convert('auth0', JSON.stringify(user));
    expect(seed?.users).toEqual([{ userName: 'erin', passwordHash: value }]);
    expect(err).toContain('changed 0, left out 0');
  });

  test('with a line that is not a user name the line', async () => {
    const { code, err, seed, file } = await convert('auth0', `${lines[0]}\n[]`);
    expect([code, seed]).toEqual([2, undefined]);
    expect(err).toContain(`${file}:2 is not a user of Auth0`);
  });
});

describe('nothing is written', () => {
  test.each([
    ['text that is not JSON', 'keycloak', '{"users":[', 2],
    ['a document that is no realm', 'keycloak', '{"users":[]}', 2],
    ['a realm with an entry that is no user', 'keycloak', '{"realm":"example","users":[{"name":1}]}', 2],
    ['a line that is not JSON', 'auth0', '{"email":', 2],
    ['a line without a name', 'auth0', '{"hello":1}', 2],
  ])('for %s', async (_, kind, text, code) => {
    const result = await convert(kind, text);
    expect([result.code, result.seed]).toEqual([code, undefined]);
  });

  test('with --strict if something is left out', async () => {
    const { code, seed, err } = await convert('keycloak', JSON.stringify(await createRealm()), ['--strict']);
    expect([code, seed]).toEqual([8, undefined]);
    expect(err).toContain('8 entries cannot be converted. Nothing was written.');
  });

  test('over a file that exists', async () => {
    const { file, to } = await convert('auth0', '{"email":"carol@example.com"}');
    const before = await readFile(to, 'utf8');
    const again = await home.iam(['import', 'auth0', file, '--to', to]);
    expect([again.code, await readFile(to, 'utf8')]).toEqual([2, before]);
  });

  test('for groups below a hundred others, in time that does not grow with their number', async () => {
    let group: object = { name: 'deepest' };
    for (let level = 0; level < 100; level += 1) group = { name: `level-${level}`, subGroups: [group] };
    const { code, seed, err } = await convert('keycloak', JSON.stringify({ realm: 'deep', groups: [group] }));
    expect([code, seed?.groups?.length]).toEqual([0, 11]);
    expect(err).toContain('is below 20 others');
    expect(err).toContain('groupName must not be longer than 100 characters');
  });
});
