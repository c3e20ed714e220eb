import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { enqueueMessage } from '../../../../../src/server/messaging/messages.ts';
import { SeedDocument } from '../../../../../src/server/seed/schema.ts';
import type { Store } from '../../../../../src/server/store/store.ts';
import { rounds } from '../../../../effort.ts';
import { startServer, type TestServer } from '../../../../harness.ts';
import { sharedServer } from '../../../operations/access.ts';
import { lastCode } from '../../../operations/otp-inbox.ts';
import { userToken } from '../../../operations/user-token.ts';
import { createSeededRandom } from '../../../store/random.ts';
import { makeFolder, openStore } from '../../../store/temp-store.ts';
import { send } from '../../control-client.ts';
import { createRandomRow, tablesWithoutKeys } from './random-rows.ts';
import { exportState, importState, readStableTables, reset, seed, sendText } from './state-client.ts';

function createPrivateJwk(type: 'rsa' | 'ec'): unknown {
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 3072 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
}

interface DumpDocument {
  formatVersion: number;
  tables: Record<string, Record<string, unknown>[]>;
}

/** Well-formed, but the memory of one login would be 4 GiB. */
const costlyHash = '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$lDh0Fd+4TtGXdGWh6GJgc630K9Turh+qHdTiOh/2hZ8';

/** A valid document with rows in nearly every table, changed by `spoil`. */
async function createDamagedDump(server: TestServer, spoil: (document: DumpDocument) => unknown): Promise<string> {
  const document = JSON.parse(await exportState(server)) as DumpDocument;
  return JSON.stringify(spoil(document) ?? document);
}

function addClients(tables: DumpDocument['tables'], owners: readonly (readonly string[])[]): void {
  const fields = { appId: 'x', party: '3RDPARTY', authorities: [], scope: [], grantTypes: [], createdAt: 'x' };
  for (const [clientId, ownerClientId] of owners)
    tables.clients?.push({ ...fields, factorVisibility: 'CREDENTIALS_ONLY', clientId, ownerClientId });
}

function addGroups(tables: DumpDocument['tables'], groups: readonly (readonly string[])[]): void {
  for (const [groupId, ...dependencies] of groups)
    tables.groups?.push({ groupId, groupName: `group ${groupId}`, roles: [], dependencies, createdAt: 'x' });
}

describe('an export', () => {
  test('has the same bytes each time, one row per line, and contains no plain secret', async () => {
    await using server = await startServer({ seed });
    const text = await exportState(server);
    expect(await exportState(server)).toBe(text);
    expect(text.split('\n').filter((line) => line.includes('"userId":"alice"'))).toHaveLength(1);
    for (const secret of ['a long enough pass phrase', 'secret-of-billing', 'correct horse'])
      expect(text).not.toContain(secret);
    expect(text).toContain('$argon2id$');
  });

  test('of a fresh server is accepted everywhere', async () => {
    await using server = await startServer();
    expect(await importState(server, await exportState(server))).toMatchObject({ status: 204 });
  });

  test('requires a known format', async () => {
    await using server = await startServer();
    expect((await sendText(server, '/_iam/state/export?format=csv')).status).toBe(400);
  });
});

describe('an import', () => {
  test('makes another server identical, including sessions, codes and keys', async () => {
    await using first = await startServer({ seed });
    await using second = await startServer();
    const token = await userToken(first, { userId: 'carol' });
    const code = { codeId: 'code', code: '123456', expiresAt: 2_000_000_000 };
    const draft = {
      contact: { channel: 'email', to: 'carol@example.com' },
      purpose: 'mfa',
      text: '{code}',
      code,
    } as const;
    await first.appContext.store.transaction((tx) => enqueueMessage(tx, draft, first.appContext));
    const text = await exportState(first);
    expect(await importState(second, text)).toMatchObject({ status: 204 });
    expect(await exportState(second)).toBe(text);
    expect(await lastCode(second, 'carol@example.com')).toBe('123456');
    expect(await send(second, '/_iam/inbox')).toMatchObject({ status: 200, body: [{ code: '123456' }] });
    // It now signs with the imported keys.
    const own = await userToken(second, { userId: 'dora' });
    expect(await second.as({ token: own }).raw('GET', '/security/iam/v1/groups', {})).not.toMatchObject({
      status: 401,
    });
    expect(second.appContext.keys.current().kid).toBe(first.appContext.keys.current().kid);
    const tried = () => first.as({ token }).raw('GET', '/security/iam/v1/groups', {});
    await reset(first, { to: 'empty' });
    expect(await tried()).toMatchObject({ status: 401 });
    expect(await importState(first, text)).toMatchObject({ status: 204 });
    expect(await tried()).not.toMatchObject({ status: 401 });
    await reset(second);
    await using fresh = await startServer();
    expect(await readStableTables(second)).toEqual(await readStableTables(fresh));
  });

  test('has to be forced if the store contains more than the first start created', async () => {
    await using server = await startServer();
    const empty = await exportState(server);
    await server.admin.groups.create({ body: { groupName: 'precious' } });
    const before = await server.dump();
    for (const query of ['', '?force=false'])
      expect(await importState(server, empty, query)).toMatchObject({ status: 412, code: 'STATE_NOT_EMPTY' });
    expect(await server.dump()).toEqual(before);
    expect(await importState(server, empty, '?force=true')).toMatchObject({ status: 204 });
    expect(await exportState(server)).toBe(empty);
  });

  const shared = sharedServer(() => startServer({ seed }));

  test.each<[string, (document: DumpDocument) => unknown]>([
    ['without tables', () => ({ formatVersion: 1 })],
    ['with an unknown member', (document) => ({ ...document, more: 1 })],
    ['with an array as tables', () => ({ formatVersion: 1, tables: [] })],
    ['with null as tables', () => ({ formatVersion: 1, tables: null })],
    ['with an unknown table', ({ tables }) => void Object.assign(tables, { unknowns: [] })],
    ['with an inherited name as table', ({ tables }) => void Object.assign(tables, { constructor: [] })],
    ['without one of the tables', ({ tables }) => void delete tables.users],
    ['with a table that is an object', ({ tables }) => void Object.assign(tables, { users: {} })],
    ['with a row that is null', ({ tables }) => void tables.users?.push(null as never)],
    ['with a row of another table', ({ tables }) => void tables.users?.push(tables.groups?.[0] ?? {})],
    ['with a row twice', ({ tables }) => void tables.users?.push(tables.users[0] ?? {})],
    ['with a login name twice', ({ tables }) => void tables.users?.push({ ...tables.users[0], userId: 'other' })],
    ['with an unknown field', ({ tables }) => void Object.assign(tables.users?.[0] ?? {}, { more: 1 })],
    ['with a field of another type', ({ tables }) => void Object.assign(tables.users?.[0] ?? {}, { locked: 'yes' })],
    ['without the key of the store', ({ tables }) => void Object.assign(tables, { storeSecrets: [] })],
    ['with a truncated key', ({ tables }) => void Object.assign(tables.storeSecrets?.[0] ?? {}, { value: 'abc' })],
    [
      'with an invalid public key',
      ({ tables }) => void Object.assign(tables.signingKeys?.[0] ?? {}, { publicJwk: {} }),
    ],
    [
      'with an invalid private key',
      ({ tables }) => void Object.assign(tables.signingKeys?.[0] ?? {}, { privateJwk: {} }),
    ],
    [
      'with a private key of another algorithm',
      ({ tables }) => void Object.assign(tables.signingKeys?.[0] ?? {}, { privateJwk: createPrivateJwk('rsa') }),
    ],
    [
      'with a private key that is not that of the public one',
      ({ tables }) => void Object.assign(tables.signingKeys?.[0] ?? {}, { privateJwk: createPrivateJwk('ec') }),
    ],
    ['with a client that owns itself', ({ tables }) => void addClients(tables, [['a', 'a']])],
    [
      'with clients that own each other',
      ({ tables }) => {
        addClients(tables, [
          ['a', 'b'],
          ['b', 'c'],
          ['c', 'a'],
          ['d', 'a'],
        ]);
      },
    ],
    [
      'with a chain of more than 10,000 clients',
      ({ tables }) =>
        addClients(
          tables,
          Array.from({ length: 10_002 }, (_, at) => [`c${at}`, `c${at + 1}`]),
        ),
    ],
    ['with a group that depends on itself', ({ tables }) => void addGroups(tables, [['a', 'b', 'a']])],
    [
      'with groups that depend on each other',
      ({ tables }) => {
        addGroups(tables, [['a', 'b', 'c'], ['b'], ['c', 'd'], ['d', 'b', 'a']]);
      },
    ],
    [
      'with a time that no calendar has',
      ({ tables }) => void tables.usedProofs?.push({ proofHash: 'proof', expiresAt: 1e300 }),
    ],
    [
      'with a password hash that costs too much',
      ({ tables }) => void Object.assign(tables.users?.[0] ?? {}, { passwordHash: costlyHash }),
    ],
    [
      'with a hash of a logon that costs too much',
      ({ tables }) => void tables.logons?.push({ logon: 'ADA1', passwordHash: costlyHash }),
    ],
  ])('of a document %s is rejected and changes nothing', async (_, spoil) => {
    const server = shared();
    const text = await createDamagedDump(server, spoil);
    const before = await exportState(server);
    const response = await importState(server, text, '?force=true');
    expect(response).toMatchObject({ status: 422, code: 'STATE_DAMAGED' });
    expect(response.text).not.toContain('argon2id');
    expect(await exportState(server)).toBe(before);
    await expect(server.admin.groups.list()).resolves.toBeDefined();
  });

  test('names the user whose hash costs too much, and the bounds', async () => {
    const server = shared();
    const text = await createDamagedDump(server, ({ tables }) => {
      const alice = tables.users?.find(({ userId }) => userId === 'alice');
      Object.assign(alice ?? {}, { passwordHash: costlyHash });
    });
    const { text: message } = await importState(server, text, '?force=true');
    expect(message).toMatch(/the passwordHash of user alice must be an Argon2 hash .* m=8 to 262144, t=1 to 10/);
  });

  test('of references without a cycle is accepted, also if some name no row', async () => {
    await using server = await startServer();
    const text = await createDamagedDump(server, ({ tables }) => {
      addClients(tables, [
        ['a', 'nothing'],
        ['b', 'a'],
        ['c', 'a'],
      ]);
      addGroups(tables, [['a', 'b', 'c', 'c'], ['b', 'd'], ['c', 'd', 'nothing'], ['d']]);
    });
    expect(await importState(server, text)).toMatchObject({ status: 204 });
    expect(await send(server, '/_iam/groups/graph')).toMatchObject({ status: 200 });
  });

  test('of a newer document version is rejected, whatever else it contains', async () => {
    const server = shared();
    const before = await exportState(server);
    const text = JSON.stringify({ formatVersion: 2, tables: { unknowns: [] }, news: true });
    expect(await importState(server, text, '?force=true')).toMatchObject({ status: 422, code: 'STATE_NEWER' });
    expect(await exportState(server)).toBe(before);
  });

  test.each([
    ['a truncated dump', (text: string) => text.slice(0, text.length / 2), 400, 'BODY_NOT_JSON'],
    ['an empty body', () => '', 400, 'BODY_NOT_JSON'],
    ['a list', () => '[]', 400, 'FIELD_TYPE'],
    ['a seed', () => JSON.stringify(seed), 400, 'FIELD_MISSING'],
    ['a version of the wrong type', () => '{"formatVersion":"1"}', 400, 'FIELD_TYPE'],
    ['100 MB', () => `{"formatVersion":1,"tables":{"users":"${'x'.repeat(100_000_000)}"}}`, 413, 'BODY_TOO_LARGE'],
  ])('of %s is rejected and changes nothing', async (_, textOf, status, code) => {
    const server = shared();
    const before = await exportState(server);
    const response = await importState(server, textOf(before), '?force=true');
    expect(response).toMatchObject({ status, code });
    expect(await exportState(server)).toBe(before);
  });

  test('that cannot be saved changes nothing', async () => {
    await using server = await startServer({ seed });
    const [text, kid] = [await exportState(server), server.appContext.keys.current().kid];
    await reset(server, { to: 'empty' });
    const before = await server.dump();
    server.stopWrites();
    expect(await importState(server, text)).toMatchObject({ status: 503 });
    expect(await server.dump()).toEqual(before);
    expect(server.appContext.keys.current().kid).toBe(kid);
  });
});

/** Fills every table except the keys: users with every field, and 20 rows in every other table. */
async function fillStore(store: Store, users: number): Promise<void> {
  const random = createSeededRandom(users);
  await store.transaction(async (tx) => {
    for (const name of tablesWithoutKeys) {
      const table = tx[name] as unknown as { insert(row: unknown): Promise<void> };
      const count = name === 'users' ? users : 20;
      // The clients and the user of the first start already exist.
      for (let number = 0; number < count; number += 1) {
        const { bootstrap: _, ...row } = createRandomRow(name, random, number % 2 === 0 || name === 'users');
        await table.insert(row);
      }
    }
  });
}

test('export, import and export return the same bytes, for many users with every field', async () => {
  await using first = await startServer();
  await fillStore(first.appContext.store, rounds(10_000));
  const text = await exportState(first);
  const folder = await makeFolder();
  {
    await using second = await startServer({ openStore: () => openStore(folder.directory) });
    expect(await importState(second, text)).toMatchObject({ status: 204 });
    expect((await exportState(second)) === text).toBe(true);
    // The order of the rows does not matter.
    const { tables, ...rest } = JSON.parse(text) as DumpDocument;
    const reversed = Object.fromEntries(
      Object.entries(tables)
        .map(([name, rows]) => [name, rows.reverse()])
        .reverse(),
    );
    expect(await importState(second, JSON.stringify({ ...rest, tables: reversed }), '?force=true')).toMatchObject({
      status: 204,
    });
    expect((await exportState(second)) === text).toBe(true);
  }
  const reopened = await openStore(folder.directory);
  expect(await reopened.users.list()).toEqual(await first.appContext.store.users.list());
  await reopened.close();
  await folder.remove();
});

describe('a seed export', () => {
  test('makes another server equal, except for what a seed cannot contain', async () => {
    const full = {
      ...seed,
      apiKeys: [{ apiKeyId: 'key', appId: 'app', clientId: 'billing', apiKey: Buffer.alloc(32, 7).toString('base64') }],
      corporateGroups: [{ corporateGroupId: 'corporation', corporateGroupName: 'Corporation', businesses: ['acme'] }],
      products: [{ productId: 'product', productAlias: 'alias', sku: 'sku' }],
      mainframe: [{ logon: 'ABC1', password: 'a logon pass phrase', email: 'abc@example.com' }],
    };
    await using first = await startServer({ seed: full });
    const { text, status } = await sendText(first, '/_iam/state/export?format=seed');
    expect(status).toBe(200);
    for (const secret of [
      'a long enough pass phrase',
      'secret-of-billing',
      'a logon pass',
      'correct horse',
      'test-admin',
    ])
      expect(text).not.toContain(secret);
    const document = await SeedDocument.parseAsync(JSON.parse(text));
    await using second = await startServer({ seed: document });
    expect((await sendText(second, '/_iam/state/export?format=seed')).text).toBe(text);
    expect(await readStableTables(second)).toEqual(await readStableTables(first));
    const basic = { clientId: 'billing', clientSecret: 'secret-of-billing' };
    expect(await second.as({ basic }).raw('GET', '/security/iam/v1/groups', {})).not.toMatchObject({ status: 401 });
  });

  test('always contains hashes for existing secrets', async () => {
    await expect(SeedDocument.parseAsync({ apiKeys: [{ appId: 'app', clientId: 'billing' }] })).rejects.toThrow();
    await expect(
      SeedDocument.parseAsync({
        clients: [{ clientId: 'x', clientSecret: 'y', secretHash: `sha256:${'0'.repeat(64)}` }],
      }),
    ).rejects.toThrow();
  });
});
