/** Members of the first versions of Keycloak, which newer ones still import. */
import { describe, expect, test } from 'vitest';
import { convertRealm } from './keycloak-fixtures.ts';

const realm = 'example';
const eve = { id: 'id-eve', username: 'eve', enabled: true };

test('applications and OAuth clients are clients whose id is their name', async () => {
  const { seed, lost } = await convertRealm({
    realm,
    clients: [{ id: 'new', publicClient: true }],
    applications: [
      { name: 'shop', secret: 's-e-c-r-e-t', redirectUris: ['https://app.example/*'] },
      { name: 'script', publicClient: true, directGrantsOnly: true },
    ],
    oauthClients: [{ name: 'partner', secret: 'other-secret', directGrantsOnly: false }],
  });
  expect(seed.clients).toEqual([
    { clientId: 'new', grantTypes: ['refresh_token'] },
    {
      clientId: 'shop',
      clientSecret: 's-e-c-r-e-t',
      grantTypes: ['refresh_token'],
      redirectURIs: ['https://app.example/*'],
    },
    { clientId: 'script', grantTypes: ['password', 'refresh_token'] },
    { clientId: 'partner', clientSecret: 'other-secret', grantTypes: ['refresh_token'] },
  ]);
  expect(lost).toEqual([]);
});

test('applications that are no list are no export', async () => {
  await expect(convertRealm({ realm, applications: {} })).rejects.toThrow(/applications must be a list/);
});

describe('application roles', () => {
  test('are roles of clients, also in composites', async () => {
    const parts = { application: { shop: ['read'] } };
    const { groupOf, lost } = await convertRealm({
      realm,
      roles: {
        realm: [{ name: 'lead', composites: parts }],
        application: { shop: [{ name: 'read' }, { name: 'write', composites: parts }] },
      },
      users: [{ ...eve, realmRoles: ['lead'], applicationRoles: { shop: ['write'] } }],
    });
    expect(groupOf('role lead')).toMatchObject({ roles: ['lead', 'shop.read'], users: ['id-eve'] });
    expect(groupOf('role shop.write')).toMatchObject({ roles: ['shop.read', 'shop.write'], users: ['id-eve'] });
    expect(lost).toEqual([]);
  });

  test('do not count beside those of clients, as in Keycloak', async () => {
    const { seed } = await convertRealm({
      realm,
      roles: { client: {}, application: { shop: [{ name: 'read' }] } },
      users: [{ ...eve, clientRoles: { shop: ['write'] }, applicationRoles: { shop: ['read'] } }],
    });
    expect(seed.groups.map(({ roles }) => roles)).toEqual([['shop.write']]);
  });
});

test('default roles of clients are reported as those of the realm, unless there is a default role', async () => {
  const document = { realm, clients: [{ clientId: 'shop', publicClient: true, defaultRoles: ['read'] }] };
  expect((await convertRealm(document)).notes).toEqual([
    'left out: default roles shop.read: is not given to new users: add them to the group role shop.read',
  ]);
  expect((await convertRealm({ ...document, defaultRole: { name: 'default-roles-example' } })).notes).toEqual([]);
});

test('social links and providers are those of identity providers', async () => {
  const socialLinks = [{ socialProvider: 'google', socialUserId: '1067', socialUsername: 'eve' }];
  const socialProviders = { 'google.key': 'id', 'google.secret': 'x', 'github.key': 'id' };
  const users = [
    { ...eve, socialLinks },
    { username: 'dan', enabled: true, socialLinks, federatedIdentities: [] },
  ];
  const { seed, lost } = await convertRealm({ realm, social: true, socialProviders, users });
  expect(seed.users.map(({ identities }) => identities)).toEqual([['google:1067'], undefined]);
  expect(lost.map((note) => note.split(': ')[1])).toEqual(['identity providers google', 'identity providers github']);
  expect((await convertRealm({ realm, socialProviders, users })).lost).toEqual([
    'lost, left out: identity providers google: is not in the file: add it to the seed for users with links to it',
  ]);
});
