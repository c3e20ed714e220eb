/** A realm in several files: entries of one name become one, and no file replaces what another one says. */
import { describe, expect, test } from 'vitest';
import { systemRandom } from '../../../../src/server/lib/random.ts';
import { convertRealm as convertFiles } from '../../../../src/server/seed/convert/keycloak/convert.ts';
import { hashFast } from '../../operations/user-identities/login-fixtures.ts';
import { convertRealm } from './keycloak-fixtures.ts';

const realm = 'example';
const eve = { id: 'id-eve', username: 'eve', enabled: true };

describe('parts of a realm', () => {
  const rolesOf = (...names: readonly string[]) => names.map((name) => ({ id: crypto.randomUUID(), name }));
  test.each<[string, readonly object[], object]>([
    ['roles of the realm', [{ roles: { realm: rolesOf('a') } }, { roles: { realm: rolesOf('b') } }], ['a', 'b']],
    [
      'roles of clients',
      [{ roles: { client: { job: rolesOf('a') } } }, { roles: { client: { job: rolesOf('b'), shop: rolesOf('a') } } }],
      ['job.a', 'job.b', 'shop.a'],
    ],
    [
      'roles of both kinds',
      [{ roles: { realm: rolesOf('a') } }, { roles: { client: { job: rolesOf('a') } } }],
      ['a', 'job.a'],
    ],
    [
      'what a role contains',
      [
        { roles: { realm: [{ name: 'a', composites: { realm: ['b'] } }] } },
        { roles: { realm: [{ name: 'a', composites: { realm: ['c'], client: { job: ['d'] } } }] } },
      ],
      ['a', 'b', 'c', 'job.d'],
    ],
    ['roles beside null', [{ roles: { realm: rolesOf('a') } }, { roles: { realm: null } }, { roles: null }], ['a']],
    [
      'roles of the first versions',
      [{ roles: { application: { job: rolesOf('a') } } }, { roles: { client: { job: rolesOf('a', 'b') } } }],
      ['job.a', 'job.b'],
    ],
    [
      'roles of groups at every level',
      [
        { groups: [{ name: 'x', realmRoles: ['a'], subGroups: [{ name: 'y', realmRoles: ['b'] }] }] },
        { groups: [{ name: 'x', realmRoles: ['c'], subGroups: [{ name: 'y', clientRoles: { job: ['d'] } }] }] },
      ],
      ['a', 'c', 'b', 'job.d'],
    ],
    [
      'roles of users, whatever the case of their names',
      [{ users: [{ ...eve, realmRoles: ['a'] }] }, { users: [{ username: 'EVE', realmRoles: ['b', 'a'] }] }],
      ['a', 'b'],
    ],
  ])('keep %s', async (_, parts, roles) => {
    const { seed, notes, lost } = await convertRealm(parts.map((part) => ({ realm, ...part })));
    expect(seed.groups.flatMap((group) => group.roles)).toEqual(roles);
    expect([seed.users.length < 2, lost]).toEqual([true, []]);
    expect(notes.filter((note) => note.includes('another file'))).toEqual([]);
  });

  test('have one user, client and provider for each name, with the fields of all', async () => {
    const provider = { alias: 'corporate', providerId: 'oidc' };
    const { seed, notes, lost } = await convertRealm([
      { realm, users: [eve], clients: [{ clientId: 'job', secret: '**********', serviceAccountsEnabled: true }] },
      { realm, users: [{ username: 'eve', email: 'eve@example.com', emailVerified: true, enabled: null }] },
      {
        realm,
        clients: [
          { clientId: 'job', secret: 'a-secret-of-a-job' },
          { clientId: 'Job', publicClient: true },
        ],
      },
      { realm, identityProviders: [{ ...provider, config: { issuer: 'https://a.example', clientId: 'us' } }] },
      { realm, identityProviders: [{ ...provider, config: { jwksUrl: 'https://a.example/keys' } }] },
    ]);
    expect(seed.users).toEqual([{ userId: 'id-eve', userName: 'eve', userEmail: 'eve@example.com' }]);
    expect(seed.clients.map(({ clientId, clientSecret }) => [clientId, clientSecret])).toEqual([
      ['job', 'a-secret-of-a-job'],
      ['Job', undefined],
    ]);
    expect(seed.providers).toHaveLength(1);
    expect(notes).toEqual([
      'left out: passwords eve: the file contains none',
      'changed: service accounts job: is service-job',
    ]);
    expect(lost).toEqual([]);
  });

  test.each<[string, object, object, string]>([
    ['realm', { enabled: false }, { enabled: true }, 'changed: realms example: is disabled, as one of the files says'],
    ['user', { users: [{ ...eve, enabled: 'False' }] }, { users: [eve] }, 'changed: users eve: is disabled, as one'],
    [
      'client',
      { clients: [{ clientId: 'job', enabled: true }] },
      { clients: [{ clientId: 'job', enabled: false }] },
      'left out: clients job: is disabled',
    ],
    [
      'provider',
      { identityProviders: [{ alias: 'x', enabled: false }] },
      { identityProviders: [{ alias: 'x', enabled: true }] },
      'left out: identity providers x: is disabled',
    ],
  ])('that disable a %s count', async (_, one, other, note) => {
    const { seed, notes } = await convertRealm([
      { realm, ...one },
      { realm, ...other },
    ]);
    expect(notes).toContainEqual(expect.stringContaining(note));
    expect([seed.clients, seed.providers, seed.users.map(({ locked }) => locked)]).toEqual([
      [],
      undefined,
      'users' in one ? [true] : [],
    ]);
  });

  test('that differ in a value are reported, and the last one counts', async () => {
    const client = (secret: string) => ({ clientId: 'job', secret, description: secret });
    const user = (email: string, value: string) => ({
      ...{ ...eve, email, emailVerified: true },
      credentials: [{ type: 'password', value }],
    });
    const { seed, notes } = await convertRealm([
      {
        realm,
        sslRequired: 'all',
        clients: [client('first-secret')],
        users: [user('a@example.com', 'first password')],
      },
      { realm, sslRequired: 'none', clients: [client('last-secret')], users: [user('b@example.com', 'last password')] },
    ]);
    expect([seed.clients[0]?.clientSecret, seed.users[0]?.userEmail]).toEqual(['last-secret', 'b@example.com']);
    const reason = 'has other values in another file, of which the last counts';
    expect(notes.toSorted()).toEqual([
      `changed: realms example: ${reason}: sslRequired`,
      `lost, changed: clients job: ${reason}: secret, description`,
      `lost, changed: users eve: ${reason}: email, credentials`,
    ]);
  });

  test('that are the same file twice are one', async () => {
    const part = { realm, users: [eve, { ...eve, id: 'id-two' }], groups: [{ name: 'x' }], defaultRoles: ['a'] };
    const once = await convertRealm(part);
    const twice = await convertRealm([part, part]);
    expect([twice.seed, twice.notes]).toEqual([once.seed, once.notes]);
  });
});

describe('users without the file of their realm', () => {
  const convert = (...documents: readonly object[]) =>
    convertFiles(
      documents.map((document, at) => ({ file: `${at}.json`, document })),
      { random: systemRandom, hash: hashFast },
    );
  test.each<[string, readonly object[]]>([
    ['with roles', [{ realm, users: [{ ...eve, realmRoles: [] }] }]],
    [
      'with roles of clients',
      [
        { realm, users: [eve] },
        { realm, users: [{ ...eve, clientRoles: {} }] },
      ],
    ],
    ['in groups', [{ realm, users: [{ ...eve, groups: ['/x'] }] }]],
    ['of a federation', [{ realm, federatedUsers: [{ id: 'f:1:x', realmRoles: ['a'] }] }]],
  ])('are refused %s', async (_, documents) => {
    await expect(convert(...documents)).rejects.toThrow(/name the file of the realm, too, such as example-realm.json/);
  });

  test.each<[string, readonly object[]]>([
    ['without grants', [{ realm, users: [eve] }]],
    ['of a realm that says more', [{ realm, enabled: true, users: [{ ...eve, realmRoles: ['a'] }] }]],
    [
      'beside the file of the realm',
      [
        { realm, users: [{ ...eve, realmRoles: ['a'] }] },
        { realm, roles: {} },
      ],
    ],
  ])('are converted %s', async (_, documents) => {
    expect((await convert(...documents)).seed.users).toHaveLength(1);
  });
});
