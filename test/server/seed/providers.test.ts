import { describe, expect, test } from 'vitest';
import { createIds } from '../../../src/server/lib/ids.ts';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { parseSeed } from '../../../src/server/seed/parse.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';
import { openMemoryStore } from '../../../src/server/store/memory/memory-store.ts';
import { createFakeClock } from '../../harness.ts';
import { createAuthority } from '../federation/certificates.ts';

async function open() {
  const store = await openMemoryStore();
  const clock = createFakeClock();
  const ids = createIds(clock, systemRandom);
  return { store, apply: (seed: unknown) => applySeed(SeedDocument.parse(seed), { store, clock, ids }) };
}

const authority = createAuthority();
const oidc = { kind: 'oidc', name: 'corp', issuer: 'https://i', clientId: 'c', jwksUri: 'https://i/keys' };
const saml = { kind: 'saml', name: 'idp', entityId: 'https://e', certificates: [authority.pem], audience: 'a' };
const root = { kind: 'certificateAuthority', name: 'root', certificate: authority.der.toString('base64') };

describe('identity providers of a seed', () => {
  test('are stored as defined, without e-mail domains by default', async () => {
    const { store, apply } = await open();
    await apply({ providers: [oidc, saml, root] });
    expect(await store.providers.list()).toEqual([{ ...oidc, emailDomains: [] }, { ...saml, emailDomains: [] }, root]);
  });

  test('replace providers of the same name and leave others unchanged', async () => {
    const { store, apply } = await open();
    await apply({ providers: [{ ...oidc, emailDomains: ['example.com'] }, saml] });
    await apply({ providers: [{ ...root, name: 'corp' }] });
    expect(await store.providers.list()).toEqual([
      { ...root, name: 'corp' },
      { ...saml, emailDomains: [] },
    ]);
  });

  test('are written only if they differ', async () => {
    const { store, apply } = await open();
    const seed = { users: [{ userId: 'u', certificates: [authority.fingerprint] }], providers: [oidc, saml, root] };
    await apply(seed);
    const before = [await store.providers.list(), await store.users.list()];
    await apply(seed);
    const after = [await store.providers.list(), await store.users.list()];
    expect(after.flat().every((row, at) => row === before.flat()[at])).toBe(true);
  });

  test('must have different names', async () => {
    const { store, apply } = await open();
    await expect(apply({ providers: [oidc, { ...root, name: 'corp' }] })).rejects.toThrow('corp is defined twice');
    expect(await store.providers.list()).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['a name with a colon', { ...oidc, name: 'a:b' }, 'providers[0].name: must be 1 to 64'],
    ['a JWKS URI that is not HTTP', { ...oidc, jwksUri: 'file:///etc/keys' }, 'providers[0].jwksUri: must be an http'],
    ['an invalid certificate', { ...root, certificate: 'x' }, 'providers[0].certificate: must be one certificate'],
    [
      'two certificates in one value',
      { ...root, certificate: authority.pem + authority.pem },
      'must be one certificate',
    ],
    ['no certificate at all', { ...saml, certificates: [] }, 'providers[0].certificates: must have an entry'],
    ['another kind', { ...oidc, kind: 'ldap' }, 'providers[0]'],
    ['the key of another kind', { ...root, issuer: 'https://i' }, 'providers[0].issuer: unknown key'],
  ])('are rejected with %s', async (_, provider, message) => {
    await expect(parseSeed(JSON.stringify({ providers: [provider] }), 'seed.json')).rejects.toThrow(message);
  });
});

describe('certificates of users of a seed', () => {
  const [one, two] = ['a'.repeat(64), 'B'.repeat(64)];
  const [first, second] = [`x5t#S256:${one}`, `x5t#S256:${'b'.repeat(64)}`];

  async function identitiesAfter(...users: object[]) {
    const { store, apply } = await open();
    for (const user of users) await apply({ users: [{ userId: 'u', ...user }] });
    return (await store.users.get('u'))?.identities;
  }

  test('are login identifiers in lower case', async () => {
    expect(await identitiesAfter({ identities: ['name'], certificates: [one, two] })).toEqual(['name', first, second]);
  });

  test('stay unchanged if the seed contains only other identifiers, and vice versa', async () => {
    const begun = { identities: ['name'], certificates: [one] };
    expect(await identitiesAfter(begun, { identities: ['other'] })).toEqual(['other', first]);
    expect(await identitiesAfter(begun, { certificates: [two] })).toEqual(['name', second]);
    expect(await identitiesAfter(begun, {})).toEqual(['name', first]);
    expect(await identitiesAfter(begun, { certificates: [] })).toEqual(['name']);
  });

  test('are 64 hexadecimal digits', async () => {
    const text = JSON.stringify({ users: [{ userId: 'u', certificates: ['x'] }] });
    const message = 'users[0].certificates[0]: must be 64 hexadecimal digits';
    await expect(parseSeed(text, 'seed.json')).rejects.toThrow(message);
  });
});
