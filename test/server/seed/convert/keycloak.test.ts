/** Exports of Keycloak in the shapes of versions 4 to 26: what fits arrives, what does not is reported alone. */
import { describe, expect, test } from 'vitest';
import { ConversionError } from '../../../../src/server/seed/convert/converted-seed.ts';
import { verifyPasswordHash } from '../../../../src/server/users/passwords.ts';
import { isFullRun } from '../../../effort.ts';
import { appClientId, startServer } from '../../../harness.ts';
import { basic, post } from '../../operations/user-identities/login-fixtures.ts';
import { convertRealm, createCredential, password } from './keycloak-fixtures.ts';

const realm = 'example';
const user = (username: string, fields: object = {}) => ({ id: `id-${username}`, username, enabled: true, ...fields });
const role = (name: string, composites?: object) => ({
  id: crypto.randomUUID(),
  name,
  description: 'A role of the realm',
  composite: composites !== undefined,
  ...(composites ? { composites } : {}),
  clientRole: false,
  containerId: realm,
  attributes: {},
});

describe('roles', () => {
  test('keep their case, and get the nearest name where they have characters that names have not', async () => {
    const names = [
      'developer',
      'DEVELOPER',
      'admin',
      'user',
      'Manage Users',
      'ROLE_manager',
      'role_reader',
      'чтение',
      'a/b:c.d',
    ];
    const { seed, notes, lost } = await convertRealm({ realm, users: [user('eve', { realmRoles: names })] });
    expect(seed.groups.flatMap(({ roles }) => roles)).toEqual([
      ...['developer', 'DEVELOPER', 'admin', 'user', 'Manage_Users', 'manager', 'role-reader', 'r-_', 'a/b:c.d'],
    ]);
    expect(notes).toContain('changed: roles DEVELOPER: differs from the role developer in case only');
    expect(notes).toContain('changed: roles Manage Users: is Manage_Users');
    expect(lost).toEqual([]);
  });

  test('that can keep their names do so, whatever others become', async () => {
    const names = ['a b', 'a_b', 'ROLE_x', 'x'];
    const { seed } = await convertRealm({ realm, roles: { realm: names.map((name) => role(name)) } });
    expect(seed.groups.map(({ roles }) => roles)).toEqual([['a_b-2'], ['a_b'], ['x-2'], ['x']]);
  });

  test('are upper-case on request, as imports made them before', async () => {
    const roles = { realm: [role('developer'), role('Developer')], client: { job: [role('run')] } };
    const { seed } = await convertRealm({ realm, roles }, { roleCase: 'upper' });
    expect(seed.groups.flatMap((group) => group.roles)).toEqual(['DEVELOPER', 'DEVELOPER-2', 'JOB_RUN']);
  });

  test('of two origins with one name stay two: no user gets both', async () => {
    const users = [
      user('first', { realmRoles: ['job.run'] }),
      user('second', { clientRoles: { job: ['run'] } }),
      user('third', { realmRoles: ['manager'] }),
      user('fourth', { realmRoles: ['ROLE_manager'] }),
    ];
    const { seed, groupOf } = await convertRealm({ realm, users });
    expect(seed.groups.flatMap(({ roles }) => roles)).toEqual(['job.run', 'job.run-2', 'manager', 'manager-2']);
    expect(groupOf('role job.run')?.users).toEqual(['id-first']);
    expect(groupOf('role job.run-2')?.users).toEqual(['id-second']);
  });

  test('with names of roles of the service are left out, except USER, which every user has', async () => {
    const names = [
      'ROLE_USER',
      'ADMIN',
      'IAM_ADMIN_MAINTENANCE',
      'BUSINESSOWNER',
      'AUTH-MFA',
      'auth-mfa',
      'businessadmin',
    ];
    const realmOf = { realm, users: [user('eve', { realmRoles: names })] };
    const { seed, lost } = await convertRealm(realmOf);
    expect([seed.groups, lost.length]).toEqual([[], 6]);
    const kept = await convertRealm(realmOf, { keepRoles: ['ADMIN', 'AUTH-MFA', 'auth-mfa'] });
    expect([kept.seed.groups.flatMap(({ roles }) => roles), kept.lost.length]).toEqual([['ADMIN'], 5]);
  });

  test('that contain others grant these too, nested, of clients and in cycles', async () => {
    const roles = {
      realm: [
        role('lead', { realm: ['editor'], client: { job: ['run'] } }),
        role('editor', { realm: ['reader', 'lead'] }),
        role('reader'),
        role('default-roles-example', { realm: ['reader', 'offline_access'], client: { account: ['view-profile'] } }),
        role('offline_access'),
      ],
      client: { job: [role('run'), role('uma_protection')], account: [role('view-profile')] },
    };
    const defaultRole = { name: 'default-roles-example' };
    const users = [user('eve', { realmRoles: ['lead'] }), user('dan', { realmRoles: ['default-roles-example'] })];
    const { groupOf, seed, notes, lost } = await convertRealm({ realm, roles, users, defaultRole });
    expect(groupOf('role lead')).toMatchObject({ roles: ['editor', 'job.run', 'lead', 'reader'], users: ['id-eve'] });
    expect(groupOf('role default-roles-example')).toMatchObject({ roles: ['reader'], users: ['id-dan'] });
    expect(seed.groups).toHaveLength(2);
    expect(notes.filter((note) => note.includes('default roles'))).toHaveLength(1);
    expect(lost).toEqual([]);
  });

  test('that contain composite ones depend on their groups, and those that contain each other are one', async () => {
    const roles = {
      realm: [
        role('chief', { realm: ['lead', 'visitor'] }),
        role('lead', { realm: ['editor', 'reader'] }),
        role('editor', { realm: ['writer'] }),
        role('writer', { realm: ['lead', 'author'] }),
        role('reader'),
        role('nothing', { client: { account: ['view-profile'] } }),
        role('itself', { realm: ['itself'] }),
      ],
    };
    const users = [user('eve', { realmRoles: ['editor', 'chief'] }), user('dan', { realmRoles: ['writer'] })];
    const groups = [{ name: 'staff', realmRoles: ['chief', 'reader'] }, { name: 'role chief' }];
    const { seed, notes, lost } = await convertRealm({ realm, roles, users, groups });
    const group = (groupName: string, names: readonly string[], members: readonly string[], ...parts: string[]) => ({
      ...{ groupName, roles: names, users: members, services: [] },
      ...(parts.length === 0 ? {} : { dependencies: parts.map((part) => ({ groupName: part })) }),
    });
    expect(seed.groups).toEqual([
      group('staff', ['reader'], [], 'role chief-2'),
      group('role chief', [], []),
      group('role chief-2', ['chief', 'visitor'], ['id-eve'], 'role lead'),
      group('role lead', ['author', 'editor', 'lead', 'reader', 'writer'], ['id-eve', 'id-dan']),
      group('role nothing', ['nothing'], []),
      group('role itself', ['itself'], []),
    ]);
    expect(notes).toContain('changed: roles editor: contains lead, which contains it: both are the group role lead');
    expect(lost).toEqual([]);
  });

  test('give clients nothing for authorization services, which are reported', async () => {
    const clientRoles = { job: ['uma_protection', 'run'] };
    const { seed, notes } = await convertRealm({
      realm,
      clients: [{ clientId: 'job', publicClient: true, authorizationSettings: { policies: [] } }],
      users: [user('eve', { clientRoles }), user('dan', { clientRoles })],
    });
    expect(seed.groups.map(({ roles }) => roles)).toEqual([['job.run']]);
    expect(notes.filter((note) => note.includes('authorization'))).toEqual([
      'left out: authorization settings job: resources, policies and permissions are not converted',
      'left out: roles job.uma_protection: manages resources of authorization services, which are not converted',
    ]);
  });

  test.each(['a cycle', 'a chain'])('of %s give a seed whose size and time grow with their number', async (kind) => {
    const measure = async (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `r${at}`);
      const roles = names.map((name, at) => {
        const next = names[kind === 'a cycle' ? (at + 1) % count : at + 1];
        return role(name, next === undefined ? undefined : { realm: [next] });
      });
      const users = names.map((name) => user(name, { realmRoles: [name] }));
      const groups = names.map((name) => ({ name: `g-${name}`, realmRoles: [name] }));
      const { seed } = await convertRealm({ realm, roles: { realm: roles }, users, groups });
      return JSON.stringify(seed).length;
    };
    const [small, large] = [await measure(30), await measure(isFullRun ? 3000 : 300)];
    expect(large / small).toBeLessThan((isFullRun ? 100 : 10) * 1.5);
  });

  test('of the administration of Keycloak are reported once each', async () => {
    const clientRoles = { 'realm-management': ['realm-admin'], account: ['manage-account'], broker: ['read-token'] };
    const { lost } = await convertRealm({ realm, users: [user('eve', { clientRoles }), user('dan', { clientRoles })] });
    expect(lost).toEqual([expect.stringMatching(/roles realm-management.realm-admin: administers Keycloak/)]);
  });
});

describe('groups', () => {
  test('arrive by path, also with one name in several parents', async () => {
    const team = (path: string, realmRoles: string[]) => ({ name: 'team', path, realmRoles, subGroups: [] });
    const groups = [
      {
        name: 'north',
        path: '/north',
        subGroupCount: 1,
        attributes: { a: ['b'] },
        subGroups: [team('/north/team', ['n'])],
      },
      { name: 'south', path: '/south', subGroups: [team('/south/team', ['s'])] },
      { name: 'north.team', path: '/north.team', realmRoles: ['other'] },
    ];
    const users = [
      user('eve', { groups: ['/north/team', '/north.team', '/north/team'] }),
      user('dan', { groups: ['/south/team/', 'south'] }),
    ];
    const { seed, lost } = await convertRealm({ realm, groups, users });
    expect(seed.groups).toEqual([
      { groupName: 'north', roles: [], users: [], services: [] },
      {
        groupName: 'north.team',
        roles: ['n'],
        users: ['id-eve'],
        services: [],
        dependencies: [{ groupName: 'north' }],
      },
      { groupName: 'south', roles: [], users: ['id-dan'], services: [] },
      {
        groupName: 'south.team',
        roles: ['s'],
        users: ['id-dan'],
        services: [],
        dependencies: [{ groupName: 'south' }],
      },
      { groupName: 'north.team-2', roles: ['other'], users: ['id-eve'], services: [] },
    ]);
    expect(lost).toEqual([]);
  });

  test.each([
    ['a slash', 'ops/night', 'ops-night', '/ops~/night'],
    ['the form of an id', '0123456789abcdef01234567', 'group 0123456789abcdef01234567'],
    ['a reserved word', 'roles', 'group roles'],
    ['the name of a group of the service', 'iam-administrators', 'iam-administrators-2'],
    ['invisible characters', 'ops\u200b ', 'ops'],
    ['control characters', 'o\u0000ps', 'ops'],
    ['more than 100 characters', 'x'.repeat(255), 'x'.repeat(100)],
    ['other scripts', 'Größe 数学 👩‍💻', 'Größe 数学 👩💻'],
  ])('with %s get a name that groups can have', async (_, name, groupName, path = `/${name}`) => {
    const { seed, lost } = await convertRealm({
      realm,
      groups: [{ name, path }],
      users: [user('eve', { groups: [path] })],
    });
    expect([seed.groups, lost]).toEqual([[{ groupName, roles: [], users: ['id-eve'], services: [] }], []]);
  });

  test('below a hundred others are left out, whatever their number', async () => {
    let group: object = { name: 'deepest' };
    for (let level = 0; level < 100; level += 1) group = { name: `level-${level}`, subGroups: [group] };
    const { seed, lost } = await convertRealm({ realm, groups: [group] });
    expect([seed.groups.length, lost]).toEqual([20, [expect.stringContaining('is below 20 others')]]);
  });
});

const pbkdf2 = 'yqSq2SygY1sB4EcH9f2FG0JTMES+wqLsOT5YmiRBplI=';
const salt = Buffer.from('0123456789abcdef').toString('base64');

describe('passwords', () => {
  test.each([
    [
      'version 8 to 24, PBKDF2',
      {
        credentialData: '{"hashIterations":1000,"algorithm":"pbkdf2-sha256","additionalParameters":null}',
        secretData: `{"value":"${pbkdf2}","salt":"${salt}","additionalParameters":{}}`,
        value: null,
      },
    ],
    [
      'before version 8',
      {
        hashedSaltedValue: pbkdf2,
        salt,
        hashIterations: 1000,
        algorithm: 'pbkdf2-sha256',
        credentialData: null,
        digits: 0,
      },
    ],
    ['a plain text, written by hand', { value: password, temporary: false }],
    ['a plain text of another type', { type: 'Password', value: password }],
  ])('of %s log in', async (_, credential) => {
    const credentials = [{ type: 'password', ...credential }];
    const { seed, lost } = await convertRealm({ realm, users: [user('eve', { credentials })] });
    expect(lost).toEqual([]);
    expect(await verifyPasswordHash(password, String(seed.users[0]?.passwordHash))).toBe(true);
  });

  test('that cannot be verified are reported, and their users stay', async () => {
    const secretData = `{"value":"${pbkdf2}","salt":"${salt}"}`;
    const of = (credentialData: string) => ({ credentials: [{ type: 'password', credentialData, secretData }] });
    const users = [
      user('slow', of('{"hashIterations":999999999,"algorithm":"pbkdf2-sha256"}')),
      user('other', of('{"hashIterations":1,"algorithm":"md5"}')),
      user('broken', of('{')),
      user('ldap', { federationLink: 'ldap' }),
      user('otp', { credentials: [{ type: 'otp' }, { type: 'webauthn' }, { type: 'password-history' }] }),
    ];
    const { seed, lost } = await convertRealm({ realm, users });
    expect(seed.users.map(({ userName, passwordHash }) => [userName, passwordHash])).toEqual(
      users.map(({ username }) => [username, undefined]),
    );
    expect(lost.map((note) => note.replace(/:[^:]*$/, ''))).toEqual([
      ...['slow', 'other', 'broken', 'ldap'].map((name) => `lost, left out: passwords ${name}`),
      'lost, left out: second factors otp of otp',
      'lost, left out: second factors webauthn of otp',
    ]);
  });

  test('that are temporary stay, and required actions are reported without a loss', async () => {
    const credentials = [{ ...(await createCredential()), temporary: true }];
    const requiredActions = ['VERIFY_EMAIL', 'CONFIGURE_TOTP', null];
    const { seed, notes, lost } = await convertRealm({ realm, users: [user('eve', { credentials, requiredActions })] });
    expect(seed.users[0]?.passwordHash).toMatch(/^\$argon2id/);
    expect(notes.map((note) => note.split(': ')[1])).toEqual([
      'required actions VERIFY_EMAIL of eve',
      'required actions CONFIGURE_TOTP of eve',
      'required actions UPDATE_PASSWORD of eve',
    ]);
    expect(lost).toEqual([]);
  });
});

describe('users', () => {
  test.each([
    ['a bad address', { email: 'no-address', emailVerified: true }, { userName: 'eve' }],
    ['a name with a colon and spaces', { username: ' eve:smith ' }, { userName: 'eve-smith' }],
    ['a name with control characters', { username: 'e\tve' }, { userName: 'e-ve' }],
    ['a name with a space and an at', { username: 'eve smith@home' }, { userName: 'eve smith@home' }],
    ['a name of another script', { username: 'évê 数' }, { userName: 'évê 数' }],
    ['a name that is too long', { username: 'e'.repeat(255) }, {}],
    ['an id with other characters', { id: 'f:1/2 3' }, { userId: 'f:1-2-3', userName: 'eve' }],
    [
      'null for everything',
      { id: null, email: null, credentials: null, groups: null, realmRoles: null },
      { userId: 'eve', userName: 'eve' },
    ],
    [
      'values of other types',
      { enabled: 'false', emailVerified: 'true', email: 7, groups: 'x', clientRoles: [] },
      { userName: 'eve', locked: true },
    ],
    ['no word about being enabled', { enabled: undefined }, { userName: 'eve', locked: true }],
    [
      'an address in place of a name',
      { username: null, email: 'eve@example.com', emailVerified: true },
      { userName: 'eve@example.com', userEmail: 'eve@example.com' },
    ],
  ])('with %s arrive', async (_, fields, expected) => {
    const { seed } = await convertRealm({ realm, users: [null, user('eve', fields), {}] });
    expect(seed.users).toEqual([{ userId: 'id-eve', ...expected }]);
  });

  test('keep verified addresses, and others only where they are trusted', async () => {
    const users = [
      user('eve', { email: 'eve@example.com', emailVerified: true }),
      user('dan', { email: 'dan@example.com', emailVerified: false, credentials: [{ value: password }] }),
      user('EVE2', { email: 'EVE@example.com', emailVerified: true }),
      user('cat', { email: 'c..at@example.com', emailVerified: true, credentials: [{ value: password }] }),
      user('bob', { email: 'b..ob@example.com', emailVerified: true }),
    ];
    const { seed, lost } = await convertRealm({ realm, users });
    expect(seed.users.map(({ userEmail }) => userEmail)).toEqual(['eve@example.com', ...Array(4).fill(undefined)]);
    expect(lost).toEqual([
      expect.stringContaining('e-mail addresses dan: is not verified'),
      expect.stringContaining('e-mail addresses cat: must be an e-mail address'),
    ]);
    const byName = await convertRealm({ realm, users, loginWithEmailAllowed: false });
    expect(byName.lost).toEqual([]);
    const trusted = await convertRealm({ realm, users }, { trustEmails: true });
    expect(trusted.seed.users[1]?.userEmail).toBe('dan@example.com');
  });

  test.each([
    '$\u007bADMIN_PASSWORD}',
    '$\u007bADMIN_PASSWORD:admin12345}',
    'x-$\u007bONE}',
    '$(env:ONE)',
    '**********',
  ])('have no password where the file has %s in its place', async (value) => {
    const { seed, lost } = await convertRealm({ realm, users: [user('eve', { credentials: [{ value }] })] });
    expect(seed.users[0]).not.toHaveProperty('passwordHash');
    expect(lost).toEqual([expect.stringContaining('placeholder')]);
  });

  test('with the name of a client are not its service account', async () => {
    const { seed } = await convertRealm({
      realm,
      roles: { realm: [{ name: 'boss' }, { name: 'run' }] },
      clients: [{ clientId: 'job', secret: 'a-secret-of-a-job', serviceAccountsEnabled: true }],
      users: [
        user('job', { realmRoles: ['boss'] }),
        user('service-account-job', { serviceAccountClientId: 'job', realmRoles: ['run'] }),
      ],
    });
    expect(seed.users.map(({ userName }) => userName)).toEqual(['job']);
    expect(seed.groups.map(({ roles, users, services }) => [roles, users, services])).toEqual([
      [['boss'], ['id-job'], []],
      [['run'], [], ['service-job']],
    ]);
  });

  test('are in the group whose escaped path they name, or whose names', async () => {
    const { seed } = await convertRealm({
      realm,
      groups: [
        { name: 'a', path: '/a', subGroups: [{ name: 'b', path: '/a/b' }] },
        { name: 'a/b', path: '/a~/b' },
        { name: 'ops', path: '/former' },
      ],
      users: [user('eve', { groups: ['/a/b', '/ops'] })],
    });
    expect(seed.groups.flatMap(({ groupName, users = [] }) => (users.length > 0 ? [groupName] : []))).toEqual([
      'a.b',
      'ops',
    ]);
  });

  test('have ids that are no names of others, and no ids of clients', async () => {
    const users = [
      { username: 'eve' },
      { username: 'Eve' },
      { username: 'job' },
      { id: 'u-1', username: 'x' },
      { username: 'u-1' },
    ];
    const { seed } = await convertRealm({ realm, users, clients: [{ clientId: 'job', publicClient: true }] });
    expect(seed.clients).toHaveLength(1);
    expect(seed.users.map(({ userId, userName }) => [userId, userName])).toEqual([
      ['eve-2', 'eve'],
      ['Eve-3', undefined],
      ['job-2', 'job'],
      ['u-1-2', 'x'],
      ['u-1-3', 'u-1'],
    ]);
  });

  test('keep their links to identity providers, which arrive if the file says enough', async () => {
    const federatedIdentities = [
      { identityProvider: 'corporate', userId: 'subject-1', userName: 'eve' },
      { identityProvider: 'social', userId: '123' },
      { identityProvider: 'broken', userId: null },
    ];
    const config = { issuer: 'https://login.example', clientId: 'keycloak', jwksUrl: 'https://login.example/keys' };
    const identityProviders = [
      { alias: 'corporate', providerId: 'oidc', enabled: true, config: { ...config, clientSecret: '**********' } },
      { alias: 'social', providerId: 'github', config: { clientId: 'x' } },
      { alias: 'off', providerId: 'oidc', enabled: false },
      { alias: 'no url', providerId: 'oidc', config: { ...config, jwksUrl: 'no-address' } },
      {
        alias: 'partner',
        providerId: 'saml',
        config: { idpEntityId: 'partner', signingCertificate: 'AAAA', entityId: 'us' },
      },
    ];
    const { seed, lost } = await convertRealm({
      realm,
      users: [user('eve', { federatedIdentities })],
      identityProviders,
    });
    expect(seed.users[0]).toMatchObject({ identities: ['corporate:subject-1', 'social:123'] });
    const { jwksUrl: jwksUri, ...others } = config;
    expect(seed.providers).toEqual([{ kind: 'oidc', name: 'corporate', ...others, jwksUri }]);
    expect(lost.map((note) => note.split(': ')[1]?.replace(/ of eve$/, ''))).toEqual([
      'identity providers social',
      'federated identities broken',
      'identity providers no url',
      'identity providers partner',
    ]);
  });
});

describe('clients', () => {
  test('get a new secret where the file hides it, and public ones stay public', async () => {
    const clients = [
      { clientId: 'known', secret: 'a-secret', attributes: { 'client.secret.rotated': 'former-secret' } },
      { clientId: 'masked', secret: '**********' },
      { clientId: 'absent', secret: null },
      { clientId: 'placeholder', secret: '$(env:SECRET)' },
      { clientId: 'signed', secret: 'x', clientAuthenticatorType: 'client-jwt' },
      { clientId: 'page', publicClient: true, secret: '**********' },
      { clientId: 'account', secret: '**********' },
      { clientId: 'off', enabled: false },
      { clientId: 'api', bearerOnly: true },
      { clientId: 'https://app.example/saml', protocol: 'saml' },
      { clientId: 'https://app.example/x y', publicClient: true },
    ];
    const { seed, secrets, notes, lost } = await convertRealm({ realm, clients });
    const made = ['masked', 'absent', 'placeholder', 'signed'];
    expect(secrets.map(({ clientId }) => clientId)).toEqual(made);
    expect(new Set(secrets.map(({ clientSecret }) => clientSecret)).size).toBe(made.length);
    expect(seed.clients.map(({ clientId, clientSecret }) => [clientId, clientSecret])).toEqual([
      ['known', 'a-secret'],
      ...secrets.map(({ clientId, clientSecret }) => [clientId, clientSecret]),
      ['page', undefined],
      ['https:-app.example-x-y', undefined],
    ]);
    expect(notes.filter((note) => note.startsWith('left out: clients'))).toHaveLength(2);
    expect(lost).toEqual([
      'lost, left out: client secrets former one of known: only the current secret is converted',
      'lost, left out: clients https://app.example/saml: its protocol is saml',
      'lost, changed: clients https://app.example/x y: has the id https:-app.example-x-y',
    ]);
  });

  test('keep their redirect URIs and grants', async () => {
    const redirectUris = ['https://app.example/*', '/done', '*', 'com.example.app:/back', null];
    const clients = [
      {
        clientId: 'page',
        publicClient: true,
        rootUrl: 'https://app.example/',
        redirectUris,
        directAccessGrantsEnabled: true,
      },
      {
        clientId: 'rootless',
        publicClient: true,
        redirectUris: ['/*', '/*'],
        standardFlowEnabled: false,
        fullScopeAllowed: false,
      },
    ];
    const { seed, lost, notes } = await convertRealm({ realm, clients });
    expect(notes).toContain(
      'changed: clients rootless: has all roles of a user in its tokens: scopes do not restrict them here',
    );
    expect(seed.clients).toEqual([
      {
        clientId: 'page',
        grantTypes: ['password', 'refresh_token'],
        redirectURIs: ['https://app.example/*', 'https://app.example/done', 'com.example.app:/back'],
      },
      { clientId: 'rootless', grantTypes: [] },
    ]);
    expect(lost).toEqual([]);
  });

  test('keep their service accounts, in the same groups', async () => {
    const account = (username: string, fields: object) => ({ id: crypto.randomUUID(), username, ...fields });
    const grants = { realmRoles: ['deploy'], groups: ['/staff'] };
    const { seed, lost } = await convertRealm({
      realm,
      groups: [{ name: 'staff' }],
      clients: ['job', 'Old-Job'].map((clientId) => ({
        clientId,
        secret: 's-e-c-r-e-t',
        serviceAccountsEnabled: true,
      })),
      users: [
        account('service-account-job', { serviceAccountClientId: 'job', enabled: true, ...grants }),
        account('service-account-old-job', grants),
        account('service-account-gone', { serviceAccountClientId: 'gone', ...grants }),
      ],
    });
    const services = ['service-job', 'service-Old-Job'];
    expect(seed.groups.map((group) => group.services)).toEqual([services, services]);
    expect(seed.users).toEqual([]);
    expect(lost).toEqual(['lost, left out: service accounts gone: its client is not in the file']);
  });

  test.each([
    ['enables', { authorizationServicesEnabled: true, bearerOnly: true, publicClient: true }, true],
    ['enables', { serviceAccountsEnabled: true }, true],
    ['does not enable', { authorizationServicesEnabled: false }, 'its client has no serviceAccountsEnabled'],
    ['disables', { serviceAccountsEnabled: true, enabled: false }, 'its client is left out'],
    ['enables without its user', { serviceAccountsEnabled: true }, 'is disabled', { enabled: false }],
    ['enables without a word about its user', { authorizationServicesEnabled: true }, 'is disabled', { enabled: null }],
  ])(
    'have a service account that Keycloak %s: %j',
    async (_, client, expected, account: object = { enabled: true }) => {
      const fields = { serviceAccountClientId: 'job', realmRoles: ['deploy'], ...account };
      const { seed, notes, lost } = await convertRealm({
        realm,
        clients: [{ clientId: 'job', secret: 's-e-c-r-e-t', ...client }],
        users: [{ username: 'service-account-job', ...fields }],
      });
      const service = expected === true ? 'service-job' : undefined;
      expect(seed.groups.map((group) => group.services)).toEqual(service ? [[service]] : []);
      expect(seed.clients.map(({ serviceAccountId }) => serviceAccountId)).toEqual(
        'enabled' in client ? [] : [service],
      );
      expect(
        seed.clients.every(({ grantTypes }) => grantTypes?.includes('client_credentials') === (service !== undefined)),
      ).toBe(true);
      expect(notes).toContain(
        service ? 'changed: service accounts job: is service-job' : `left out: service accounts job: ${expected}`,
      );
      expect([seed.users, lost]).toEqual([[], []]);
    },
  );
});

describe('files', () => {
  const parts = [
    { realm, groups: [{ name: 'staff' }], roles: { realm: [role('reader')] } },
    { realm, users: [user('eve', { groups: ['/staff'] })] },
    { realm, users: [user('dan', { realmRoles: ['reader'] })] },
    { realm, federatedUsers: [{ id: 'f:1:x' }] },
  ];

  test.each([
    [{ enabled: false }, 'changed: realms example: is disabled'],
    [{ users: [user('eve', { realmRoles: [' reader '] })] }, 'changed: realms example: no file defines its roles'],
    [{ federatedUsers: [{ id: 'f:1:x' }] }, 'lost, left out: federated users f:1:x: '],
  ])('report what a reader of the result must know: %j', async (members, note) => {
    const { notes, groupOf } = await convertRealm({ realm, ...members });
    expect(notes).toContainEqual(expect.stringContaining(note));
    expect(groupOf('role reader')?.roles).toEqual('users' in members ? ['reader'] : undefined);
  });

  test('with the users of a realm are one export', async () => {
    const { seed, groupOf } = await convertRealm(parts);
    expect(seed.users.map(({ userName }) => userName)).toEqual(['eve', 'dan']);
    expect([groupOf('staff')?.users, groupOf('role reader')?.users]).toEqual([['id-eve'], ['id-dan']]);
  });

  test('with several realms need the name of one, unless the other is master', async () => {
    const realms = [
      { realm: 'master', users: [user('root')] },
      { realm: 'shop', users: [user('eve')] },
    ];
    const namesOf = async (documents: unknown, name?: string) =>
      (await convertRealm([documents], { realm: name })).seed.users.map(({ userName }) => userName);
    expect(await namesOf(realms)).toEqual(['eve']);
    expect(await namesOf(realms, 'master')).toEqual(['root']);
    expect(await namesOf({ kind: 'KeycloakRealmImport', spec: { realm: realms[1] } })).toEqual(['eve']);
    expect((await convertRealm([realms])).notes).toContain(
      'left out: realms master: is not converted: select it with --realm',
    );
    for (const [documents, name] of [
      [[...realms, { realm }], undefined],
      [realms, 'other'],
    ] as const)
      await expect(namesOf(documents, name)).rejects.toThrow(ConversionError);
  });

  test.each([
    ['is a list of texts', ['x']],
    ['has no realm', { users: [] }],
    ['has a list that is none', { realm, clients: { a: 1 } }],
  ])('that %s are no exports', async (_, document) => {
    await expect(convertRealm([document])).rejects.toThrow(/^0.json is not the export of a realm: /);
  });

  test('with null for every member are an empty realm', async () => {
    const document = {
      realm,
      users: null,
      groups: null,
      clients: null,
      roles: null,
      identityProviders: null,
      defaultRole: null,
    };
    const { seed, notes } = await convertRealm(document);
    expect([seed, notes]).toEqual([{ clients: [], users: [], groups: [] }, []]);
  });
});

test('a realm with a user named admin is served, and the first administrator gets another name', async () => {
  const users = [
    user('admin', {
      email: 'admin@example.com',
      emailVerified: true,
      credentials: [{ value: password }],
      realmRoles: ['admin'],
    }),
  ];
  const { seed } = await convertRealm({ realm, users });
  await using server = await startServer({ seed });
  const authorization = basic('admin@example.com', password);
  const { status } = await post(server, `/user-identities/login?clientId=${appClientId}`, { authorization });
  expect(status).toBe(201);
  const first = await server.appContext.store.users.getBy('bootstrap', 'admin');
  expect([first?.userName, first?.userEmail]).toEqual(['iam-admin', 'iam-admin@example.com']);
});

test.runIf(isFullRun)('ten thousand users are converted in time that grows with their number', async () => {
  const credentials = [await createCredential()];
  const users = Array.from({ length: 10_000 }, (_, at) =>
    user(`user${at}`, { email: `user${at}@example.com`, credentials, realmRoles: [`r${at % 50}`], groups: ['/staff'] }),
  );
  const start = performance.now();
  const { seed } = await convertRealm({ realm, users, groups: [{ name: 'staff' }] });
  expect(seed.users).toHaveLength(10_000);
  expect(performance.now() - start).toBeLessThan(60_000);
});
