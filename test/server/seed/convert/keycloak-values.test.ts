/** Values that another program wrote, or has still to replace: what decides about a login is never guessed in silence. */
import { verify } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { isPlaceholder } from '../../../../src/server/seed/convert/placeholders.ts';
import { convertRealm, createCredential, password } from './keycloak-fixtures.ts';

const realm = 'example';
const user = (fields: object) => ({ id: 'id-eve', username: 'eve', enabled: true, ...fields });

describe('flags', () => {
  test.each<readonly [unknown, boolean | undefined, string | undefined]>([
    ...[true, 'True', 'TRUE', ' true ', 'yes', 'On', 1, '1'].map((value) => [value, true, undefined] as const),
    ...[false, 'False', 'FALSE', 'no', 'Off', 0].map((value) => [value, false, undefined] as const),
    [null, undefined, 'changed: users eve: is locked: the file does not enable it'],
    [undefined, undefined, 'changed: users eve: is locked: the file does not enable it'],
    ['maybe', undefined, 'lost, changed: flags enabled of eve: is neither true nor false: check what the seed has'],
    [[], undefined, 'lost, changed: flags enabled of eve: is neither true nor false: check what the seed has'],
  ])('can be %j', async (enabled, expected, note) => {
    const { seed, notes } = await convertRealm({
      realm,
      users: [user({ enabled, emailVerified: enabled, email: 'eve@example.com' })],
    });
    expect([seed.users[0]?.locked, seed.users[0]?.userEmail !== undefined]).toEqual([
      expected === true ? undefined : true,
      expected === true,
    ]);
    if (note !== undefined) expect(notes).toContain(note);
    else expect(notes.filter((one) => !/e-mail|passwords/.test(one))).toEqual([]);
  });

  test('of clients, realms and providers that are none are reported', async () => {
    const { lost } = await convertRealm({
      realm,
      enabled: 'x',
      clients: [{ clientId: 'page', publicClient: 'x', secret: 'a-secret-of-a-page' }],
      identityProviders: [{ alias: 'corporate', linkOnly: 'x' }],
    });
    expect(lost.map((note) => note.split(': ')[1])).toEqual([
      'identity providers corporate',
      'flags publicClient of page',
      'flags linkOnly of corporate',
      'flags enabled of example',
    ]);
  });
});

describe('placeholders', () => {
  const open = '$\u007b';
  const forms = [
    `${open}ENV}`,
    `${open}ENV:default}`,
    `dev-${open}ENV}`,
    '$(env:SECRET)',
    '{{ x }}',
    'https://{{ host }}/a',
    '$VAR',
    'https://$HOST/a',
    'dev-$ENV',
    '<CHANGE_ME>',
    'https://<host>/a',
    '<%= secret %>',
    '%VAR%',
    'x-%STAGE%',
    '@project.secret@',
    '@@SECRET@@',
    '[[secret]]',
    'vault:secret/data/app#password',
    'op://vault/item/password',
    'ref+vault://app#/password',
    'secret://app/password',
    '__TOKEN__',
    '#{Secret}#',
    'CHANGE_ME',
    'ENC(abc)',
    '*****',
  ];
  test.each(forms)('can be %s', (text) => expect(isPlaceholder(text)).toBe(true));

  test.each([
    'changeme',
    'vault: x',
    'ref+1',
    'p<3>q',
    'a<b',
    'pa$$word',
    '$ecret1',
    'A$AP',
    '100%',
    'https://app.example/%C3%A4%20%C3%B6',
    'https://app.example/*',
    '{x}',
    'me@example.com',
    '__init',
    '5 < 6 > 4',
    '',
  ])('are not %s', (text) => expect(isPlaceholder(text)).toBe(false));

  test.each<[string, object, string]>([
    ['a user name', { users: [user({ username: 'FORM', credentials: [{ value: password }] })] }, 'user names FORM'],
    ['an address', { users: [user({ email: 'FORM', emailVerified: true })] }, 'e-mail addresses eve'],
    ['a password', { users: [user({ credentials: [{ value: 'FORM' }] })] }, 'passwords eve'],
    [
      'a link',
      { users: [user({ federatedIdentities: [{ identityProvider: 'x', userId: 'FORM' }] })] },
      'federated identities x of eve',
    ],
    ['a client id', { clients: [{ clientId: 'FORM', secret: 'a-secret-of-a-job' }] }, 'clients FORM'],
    ['a role', { users: [user({ realmRoles: ['FORM'] })] }, 'roles FORM'],
    ...(['issuer', 'clientId', 'jwksUrl'] as const).map((name): [string, object, string] => [
      `the ${name} of a provider`,
      {
        identityProviders: [
          {
            alias: 'x',
            config: { issuer: 'https://x', clientId: 'us', jwksUrl: 'https://x.example', [name]: 'FORM' },
          },
        ],
      },
      'identity providers x',
    ]),
  ])('are reported as %s, and are no credential', async (_, members, what) => {
    for (const form of forms.filter((one) => one !== '*****')) {
      const replaced = JSON.parse(JSON.stringify(members).replaceAll('FORM', form)) as object;
      const { seed, lost } = await convertRealm({ realm, ...replaced });
      expect(lost.filter((note) => note.includes('placeholder'))).toEqual([
        expect.stringContaining(what.replace('FORM', form)),
      ]);
      const { users, clients, providers } = seed;
      expect(JSON.stringify([users, clients, providers])).not.toContain(form);
    }
  });

  test('of client secrets give new ones, and of redirect URIs are left out', async () => {
    const clients = forms.map((form, at) => ({ clientId: `c${at}`, secret: form, redirectUris: [`${form}/x`] }));
    const { seed, secrets, notes } = await convertRealm({ realm, clients });
    expect(secrets).toHaveLength(forms.length);
    for (const { clientSecret, redirectURIs } of seed.clients) {
      expect(forms).not.toContain(clientSecret);
      expect(redirectURIs).toBeUndefined();
    }
    expect(notes.filter((note) => note.includes('which the file does not resolve'))).toHaveLength(forms.length - 1);
  });

  test('give a user without an id another one, and groups keep their members', async () => {
    const users = [{ username: '__USER__', enabled: true, id: '__ID__', groups: ['/{{ team }}'] }];
    const { seed, notes } = await convertRealm({ realm, users, groups: [{ name: '{{ team }}' }] });
    expect(seed.users).toEqual([{ userId: 'user' }]);
    expect(seed.groups[0]?.users).toEqual(['user']);
    expect(notes).toContainEqual(expect.stringMatching(/^changed: groups \/{{ team }}: .*placeholder/));
  });
});

test.each<[string, object, string]>([
  ['users', [user({ realmRoles: 'a,b' })], 'users[0].realmRoles'],
  ['users', [user({ realmRoles: [{ name: 'a' }] })], 'users[0].realmRoles[0]'],
  ['users', [user({ clientRoles: { job: 'run' } })], 'users[0].clientRoles.job'],
  ['users', [user({ clientRoles: [{ job: ['run'] }] })], 'users[0].clientRoles'],
  ['users', [user({ groups: '/staff' })], 'users[0].groups'],
  ['users', [user({ credentials: { value: password } })], 'users[0].credentials'],
  ['users', ['eve'], 'users[0]'],
  ['groups', ['staff'], 'groups[0]'],
  ['groups', [{ name: 'staff', subGroups: [{ realmRoles: ['a'] }] }], 'groups[0].subGroups[0].name'],
  ['clients', ['job'], 'clients[0]'],
  ['clients', [{ clientId: 'job', redirectUris: 'https://job.example' }], 'clients[0].redirectUris'],
  ['identityProviders', [{ alias: 'x', config: 'x' }], 'identityProviders[0].config'],
  ['roles', { realm: ['a'] }, 'roles.realm[0]'],
  ['roles', { client: { job: [{ description: 'x' }] } }, 'roles.client.job[0].name'],
  ['roles', { realm: [{ name: 'a', composites: { realm: 'b' } }] }, 'roles.realm[0].composites.realm'],
  ['defaultRoles', ['a', {}], 'defaultRoles[1]'],
])('%s of other types are reported: %j', async (member, value, path) => {
  const { lost } = await convertRealm({ realm, [member]: value });
  expect(lost.filter((note) => note.includes(' members '))).toEqual([
    expect.stringMatching(
      `^lost, left out: members ${path.replace(/[[\].]/g, '\\$&')} in 0.json: (?:must be|is required)`,
    ),
  ]);
});

test('null and empty lists of PHP are no other types', async () => {
  const fields = { realmRoles: [null], clientRoles: [], groups: null, credentials: [null], attributes: [] };
  const { lost } = await convertRealm({
    realm,
    users: [null, user(fields)],
    groups: [{ name: 'x', clientRoles: [], subGroups: [] }],
    roles: { client: [], realm: [{ name: 1, composites: [] }] },
    clients: [{ clientId: 'page', publicClient: true, redirectUris: null, attributes: [] }],
  });
  expect(lost).toEqual([]);
});

describe('identity providers', () => {
  const config = { issuer: 'https://a.example', clientId: 'us', jwksUrl: 'https://a.example/keys' };
  test.each<[string, object, object | undefined, readonly string[]]>([
    [
      'several issuers',
      { config: { ...config, issuer: 'https://a.example, https://b.example' } },
      { issuer: 'https://a.example' },
      [
        'lost, left out: identity providers x of https://b.example: a provider has one issuer, which is https://a.example',
      ],
    ],
    [
      'a list of issuers',
      { config: { ...config, issuer: ['https://a.example', 'https://b.example'] } },
      { issuer: 'https://a.example' },
      [
        'lost, left out: identity providers x of https://b.example: a provider has one issuer, which is https://a.example',
      ],
    ],
    [
      'one issuer and a comma',
      { config: { ...config, issuer: 'https://a.example,' } },
      { issuer: 'https://a.example' },
      [],
    ],
    [
      'linkOnly',
      { linkOnly: true, config },
      undefined,
      ['left out: identity providers x: only links accounts: no login uses it'],
    ],
    [
      'linkOnly as text',
      { linkOnly: 'True', config },
      undefined,
      ['left out: identity providers x: only links accounts: no login uses it'],
    ],
    ['enabled as text', { enabled: 'False', config }, undefined, ['left out: identity providers x: is disabled']],
    [
      'a key of its own',
      { config: { ...config, useJwksUrl: 'false' } },
      undefined,
      ['lost, left out: identity providers x: has a key of its own: a provider needs the jwksUrl of its issuer'],
    ],
    [
      'no issuer',
      { providerId: 'google', config: { clientId: 'us' } },
      undefined,
      [
        'lost, left out: identity providers x: is of the kind google; a provider needs issuer, clientId and jwksUrl, or is SAML',
      ],
    ],
  ])('with %s', async (_, fields, provider, expected) => {
    const { seed, notes } = await convertRealm({
      realm,
      identityProviders: [{ alias: 'x', providerId: 'oidc', ...fields }],
    });
    expect(notes).toEqual(expected);
    expect(seed.providers).toEqual(provider && [expect.objectContaining(provider)]);
  });

  test('that no file has are reported for links to them', async () => {
    const federatedIdentities = ['off', 'gone', 'no name'].map((identityProvider) => ({
      identityProvider,
      userId: '1',
    }));
    const { seed, lost } = await convertRealm({
      realm,
      users: [user({ federatedIdentities }), user({ username: 'dan', id: 'dan', federatedIdentities })],
      identityProviders: [{ alias: 'off', enabled: false }],
    });
    expect(seed.users[0]?.identities).toEqual(['off:1', 'gone:1']);
    expect(lost.filter((note) => note.includes('identity providers'))).toEqual([
      'lost, left out: identity providers gone: is not in the file: add it to the seed for users with links to it',
    ]);
  });

  test('that give roles or groups at a login are reported', async () => {
    const mapper = (name: string, of: object) => ({ name, identityProviderAlias: 'x', config: of });
    const { lost } = await convertRealm({
      realm,
      identityProviderMappers: [
        mapper('one', { role: 'admin' }),
        mapper('two', { group: '/staff' }),
        mapper('three', { 'user.attribute': 'x' }),
      ],
      clients: [{ clientId: 'page', publicClient: true, protocolMappers: [mapper('four', { role: 'page.x' })] }],
      clientScopes: [{ name: 'roles', protocolMappers: [mapper('five', { role: 'vip' }), mapper('six', {})] }],
    });
    expect(lost).toEqual([
      ...[
        ['one of x', 'admin'],
        ['two of x', '/staff'],
        ['four of page', 'page.x'],
        ['five of roles', 'vip'],
      ].map(
        ([name, role]) =>
          `lost, left out: mappers ${name}: a login does not give ${role} here: add its users to a group with this role`,
      ),
    ]);
  });
});

test.each([
  ['oauth2.device.authorization.grant.enabled', 'true', 'device authorization'],
  ['oidc.ciba.grant.enabled', 'True', 'CIBA'],
  ['standard.token.exchange.enabled', ['true'], 'token exchange'],
  ['oauth2.device.authorization.grant.enabled', 'false', undefined],
  ['client.secret.expiration.time', '1', undefined],
])('clients that have the grant %s: %j', async (name, value, grant) => {
  const client = { clientId: 'tv', publicClient: true, standardFlowEnabled: false, attributes: { [name]: value } };
  const { seed, lost } = await convertRealm({ realm, clients: [client] });
  expect(seed.clients).toEqual([{ clientId: 'tv', grantTypes: [] }]);
  expect(lost).toEqual(
    grant === undefined ? [] : [`lost, left out: grants ${grant} of tv: this service has no such grant`],
  );
});

describe('numbers', () => {
  const convert = (value: unknown) =>
    convertRealm({
      realm,
      users: [
        user({
          credentials: [{ type: 'password', value }],
          federatedIdentities: [{ identityProvider: 'corporate', userId: value }],
          realmRoles: [value],
        }),
      ],
      clients: [{ clientId: 'job', secret: value }],
    });

  test('are texts', async () => {
    const { seed } = await convert(9_007_199_254_740_991);
    expect([seed.users[0]?.identities, seed.clients[0]?.clientSecret]).toEqual([
      ['corporate:9007199254740991'],
      '9007199254740991',
    ]);
    expect(seed.users[0]?.passwordHash).toBeDefined();
  });

  test.each([1e22, 2 ** 63, 1.5, -1e300])('whose digits JSON changes are lost: %d', async (value) => {
    const { seed, lost, secrets } = await convert(value);
    expect([seed.users[0]?.identities, seed.users[0]?.passwordHash, seed.groups]).toEqual([undefined, undefined, []]);
    expect(secrets).toEqual([{ clientId: 'job', clientSecret: seed.clients[0]?.clientSecret }]);
    expect(lost.map((note) => note.split(': ')[1]).sort()).toEqual([
      'federated identities corporate of eve',
      'members users[0].realmRoles[0] in 0.json',
      'passwords eve',
    ]);
  });
});

test('a user with the id of another one has an id of its own, and gives the other one no role', async () => {
  const users = ['a', 'b'].map((username) => user({ id: 'i1', username, realmRoles: [`of-${username}`] }));
  const { seed } = await convertRealm({ realm, roles: { realm: [{ name: 'of-a' }, { name: 'of-b' }] }, users });
  const idOf = (name: string) => seed.users.find(({ userId, userName }) => (userName ?? userId) === name)?.userId;
  expect(idOf('a')).toBe('i1');
  expect(idOf('b')).not.toBe('i1');
  const members = (role: string) => seed.groups.find(({ roles = [] }) => roles.includes(role))?.users;
  expect([members('of-a'), members('of-b')]).toEqual([['i1'], [idOf('b')]]);
});

describe('passwords', () => {
  test('that no login accepts for their length are lost', async () => {
    const convert = (length: number) =>
      convertRealm({ realm, users: [user({ credentials: [{ type: 'password', value: '\u00e9'.repeat(length) }] })] });
    expect((await convert(128)).lost).toEqual([]);
    expect((await convert(129)).lost).toEqual(['lost, left out: passwords eve: has more than 128 characters']);
  });

  const value = 'a password of eve';
  test.each<readonly [string, (hash: object) => readonly object[], boolean]>([
    ['a value beside a hash counts', (hash) => [{ ...hash, value }], true],
    ['a value after a hash counts', (hash) => [hash, { type: 'password', value }], true],
    ['a placeholder replaces the value before it', () => [{ value }, { value: '<CHANGE_ME>' }], false],
    ['a placeholder replaces the hash before it', (hash) => [hash, { value: '<CHANGE_ME>' }], false],
  ])('%s', async (_, listCredentials, arrives) => {
    const hash = await createCredential();
    const { seed, lost } = await convertRealm({ realm, users: [user({ credentials: listCredentials(hash) })] });
    const { passwordHash = '' } = seed.users[0] ?? {};
    expect(passwordHash !== '' && (await verify(String(passwordHash), value))).toBe(arrives);
    expect(lost.map((note) => note.split(': ')[1])).toEqual(arrives ? [] : ['passwords eve']);
  });
});

test.each<readonly [string, object, string]>([
  ['a realm', { Users: [user({})] }, 'Users in 0.json: is called users'],
  ['a realm, as one', { client: [] }, 'client in 0.json: is called clients'],
  ['a user', { users: [user({ realm_roles: ['a'] })] }, 'users[0].realm_roles in 0.json: is called realmRoles'],
  ['a user, in short', { users: [null, user({ roles: ['a'] })] }, 'users[1].roles in 0.json: is called realmRoles'],
  ['a user, alone', { users: [user({ password })] }, 'users[0].password in 0.json: is called credentials'],
  ['a group', { groups: [{ name: 'a', RealmRoles: [] }] }, 'groups[0].RealmRoles in 0.json: is called realmRoles'],
  ['a client', { clients: [{ clientId: 'a', Secret: 'x' }] }, 'clients[0].Secret in 0.json: is called secret'],
])('a member of %s that is nearly called as one that is converted is reported', async (_, fields, note) => {
  const { lost } = await convertRealm({ realm, ...fields });
  expect(lost).toEqual([expect.stringContaining(`lost, left out: members ${note}`)]);
});
