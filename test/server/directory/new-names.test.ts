/** New user names, group names and application ids: in NFC and visible as a whole. Names that exist stay as they are. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { IamClient } from '../../../src/client/index.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { operations } from '../../../src/server/operations/index.ts';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { catchClientError } from '../operations/access.ts';
import { asUser } from '../operations/user-token.ts';

/** Before new names were restricted. The store takes every name. */
async function insertOldNames({ appContext: { store, clock } }: TestServer): Promise<void> {
  const createdAt = clock.now().toISOString();
  const lists = { roles: [], dependencies: [], createdAt };
  const user = { emailVerified: false, mobileVerified: false, lead: false, locked: false, identities: [], createdAt };
  await store.transaction(async (tx) => {
    await tx.groups.insert({ groupId: 'g-old', groupName: 'o\u200bps ', ...lists });
    await tx.groups.insert({ groupId: 'g-spaced', groupName: 'on\u00a0call', ...lists });
    await tx.users.insert({ userId: 'u-old', userName: 'ali\u202ece', ...user });
    const client = await tx.clients.get('c-one');
    if (client) await tx.clients.replace({ ...client, appId: 'bil\u00adling' });
  });
}

const seed = {
  groups: [{ groupName: 'known' }],
  users: [{ userId: 'u-known', userName: 'known' }],
  clients: [{ clientId: 'c-one', appId: 'one' }],
  apiKeys: [{ apiKeyId: 'k-one', appId: 'one', clientId: 'c-one', apiKey: `${'k'.repeat(42)}E=` }],
};

let server: TestServer;
let person: IamClient;
beforeAll(async () => {
  server = await startServer({ seed });
  await insertOldNames(server);
  person = await asUser(server);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends a request with a new name. */
const requests: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
  'groups.create groupName': (groupName) => server.admin.groups.create({ body: { groupName } }),
  'groups.update groupName': (groupName) =>
    server.admin.groups.update({ params: { groupId: 'known' }, body: { groupName } }),
  'user-identities.create userName': (userName) =>
    server.admin.userIdentities.create({ body: { userName, userEmail: 'new@example.com' } }),
  'user-identities.update userName': (userName) =>
    server.admin.userIdentities.update({ params: { id: 'u-known' }, body: { userName } }),
  'client-identities.create appId': (appId) => server.admin.clientIdentities.create({ body: { appId } }),
  'my-client-identities.create appId': (appId) => person.myClientIdentities.create({ body: { appId } }),
  'api-key.create appId': (appId) => server.admin.apiKey.create({ body: { appId, clientId: 'test-admin' } }),
  'api-key.update appId': (appId) =>
    server.admin.apiKey.update({ params: { apiKeyId: 'k-one' }, body: { appId, clientId: 'test-admin' } }),
  'user-identities.add-identity identity': (identity) =>
    server.admin.userIdentities.addIdentity({ params: { id: 'u-known' }, body: { identity } }),
  'control.create-user userName': (userName) => sendControl('POST', '/_iam/users', { userName }),
  'control.update-client appId': (appId) => sendControl('PATCH', '/_iam/clients/c-one', { appId }),
};

async function sendControl(method: string, path: string, content: object): Promise<void> {
  const headers = [['Content-Type', 'application/json']] as const;
  const { status, json } = await server.send({ method, path, headers, body: JSON.stringify(content) });
  if (status >= 400) throw Object.assign(new Error('rejected'), { status, ...(json as object[])[0] });
}

/** Bodies in which such a field names what exists. */
const references = [
  'add-dependency groupName',
  'generate-token.create userName',
  'remember-me userName',
  'control.create-browser-session userName',
  'control.create-session userName',
];
references.push('user-identities.login userName', 'user-identities.retrieve userName');

test('every body with a new name is tested', () => {
  const bodies = [...Object.values(operations), ...controlRoutes].flatMap(({ id, request: { body } }) => {
    const names = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    return names
      .filter((name) => ['userName', 'groupName', 'appId', 'identity'].includes(name))
      .map((name) => `${id} ${name}`);
  });
  const tested = [...Object.keys(requests)].sort();
  expect(bodies.filter((body) => !references.some((end) => body.endsWith(end))).sort()).toEqual(tested);
});

/** The texts in a schema with their paths, except secrets and codes, which are only compared or hashed. */
function listTexts(schema: unknown, path = ''): [string, z.ZodType][] {
  if (!(schema instanceof z.ZodType) || schema.meta()?.sensitive !== undefined) return [];
  const { innerType } = schema.def as { innerType?: z.ZodType };
  if (innerType) return listTexts(innerType, path);
  if (schema instanceof z.ZodString) return [[path, schema]];
  if (schema instanceof z.ZodArray) return listTexts(schema.element, path);
  if (schema instanceof z.ZodPipe) return listTexts(schema.out, path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => listTexts(option, path));
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
  return shape.flatMap(([name, field]) => listTexts(field, path === '' ? name : `${path}.${name}`));
}

/** Only compared with what exists, decoded, or recorded with its escapes. */
const compared = [
  '$schema',
  'certificate',
  'chain',
  'client_id',
  'dependencies.groupName',
  'deviceId',
  'grant_type',
  'ip',
];
compared.push('logon', 'orderId', 'relayState', 'resource', 'scope', 'showCaseId', 'username', ...references);

test('every text that is stored is refused with control characters and lone surrogates', () => {
  const accepted = [...Object.values(operations), ...controlRoutes].flatMap(({ id, request: { body } }) =>
    listTexts(body).flatMap(([path, schema]) => {
      const texts = ['\u0000', '\n', '\u001b', '\u0085', '\u2028', '\ud800'].map((letter) => `na${letter}me`);
      return texts.some((text) => schema.safeParse(text).success) ? [`${id} ${path}`] : [];
    }),
  );
  expect(accepted.filter((text) => !compared.some((end) => text.endsWith(end)))).toEqual([]);
});

const invisible = [
  '\u200b',
  '\u200d',
  '\u2060',
  '\u180b',
  '\ufe0f',
  '\u3164',
  '\ufff9',
  '\u2066',
  '\u202e',
  '\u00ad',
  '\u2800',
  '\ufeff',
  '\u{e0041}',
  '\u00a0',
  '\u2009',
  '\u202f',
  // No characters, and what decoders write in place of bytes that they cannot read.
  '\ufffe',
  '\uffff',
  '\ufdd0',
  '\ufdef',
  '\u{1fffe}',
  '\u{10ffff}',
  '\ufffd',
].map((letter) => `na${letter}me`);
const outerSpaces = [' name', 'name ', '\u00a0name', 'name\u3000'];

test.each(Object.keys(requests))(
  '%s is rejected with invisible characters and with spaces at the ends',
  async (what) => {
    const before = await server.dump();
    for (const name of [...invisible, ...outerSpaces]) {
      const failure = await requests[what]?.(name).catch((error: unknown) => error);
      expect([name, failure]).toMatchObject([name, { status: 400, code: 'NAME_NOT_VISIBLE' }]);
    }
    expect(await server.dump()).toEqual(before);
  },
);

test.each(Object.keys(requests))('%s is rejected with control characters and lone surrogates', async (what) => {
  for (const letter of ['\u0000', '\u001b', '\u0085', '\u2028', '\u2029', '\ud800', '\udc00']) {
    const failure = await requests[what]?.(`na${letter}me`).catch((error: unknown) => error);
    expect([letter, failure]).toMatchObject([
      letter,
      { status: expect.toSatisfy((status) => [400, 412, 422].includes(status)) },
    ]);
  }
});

// Login identifiers are stored as sent.
test.each(Object.keys(requests).filter((what) => !what.endsWith('identity')))('%s stores NFC', async (what) => {
  await requests[what]?.(`no\u0308 ${Object.keys(requests).indexOf(what)}`);
  const dump = JSON.stringify(await server.dump());
  expect(dump).toContain(`n\u00f6 ${Object.keys(requests).indexOf(what)}`);
  expect(dump).not.toContain('o\u0308');
});

describe('a name', () => {
  test('is stored in NFC, and is found in every normalization', async () => {
    await using other = await startServer();
    const { groupId } = await other.admin.groups.create({ body: { groupName: 'cafe\u0301' } });
    for (const reference of ['cafe\u0301', 'caf\u00e9'])
      expect(await other.admin.groups.get({ params: { groupId: reference } })).toMatchObject({
        groupId,
        groupName: 'caf\u00e9',
      });
    expect(await other.admin.groups.list({ query: { name: 'cafe\u0301' } })).toMatchObject({ items: [{ groupId }] });
    await other.admin.groups.create({ body: { groupName: 'bar', dependencies: [{ groupName: 'cafe\u0301' }] } });
    const again = await catchClientError(other.admin.groups.create({ body: { groupName: 'cafe\u0301' } }));
    expect(again).toMatchObject({ status: 412, code: 'GROUP_NAME_TAKEN' });
  });

  test('that equals one that exists, without what cannot be seen, is taken', async () => {
    const before = await server.dump();
    const group = await catchClientError(server.admin.groups.create({ body: { groupName: 'ops' } }));
    expect(group).toMatchObject({ status: 412, code: 'GROUP_NAME_TAKEN' });
    const spaced = await catchClientError(server.admin.groups.create({ body: { groupName: 'on call' } }));
    expect(spaced).toMatchObject({ status: 412, code: 'GROUP_NAME_TAKEN' });
    const body = { userName: 'Alice', userEmail: 'alice@example.com' };
    const user = await catchClientError(server.admin.userIdentities.create({ body }));
    expect(user).toMatchObject({ status: 412, code: 'LOGIN_NAME_TAKEN' });
    const params = { id: 'u-known' };
    const renamed = server.admin.userIdentities.update({ params, body: { userName: 'alice' } });
    expect(await catchClientError(renamed)).toMatchObject({ status: 412, code: 'LOGIN_NAME_TAKEN' });
    const seeded = applySeed({ groups: [{ groupName: 'ops' }] }, server.appContext);
    await expect(seeded).rejects.toThrow('already in use');
    expect(await server.dump()).toEqual(before);
  });

  test('that a write does not change is accepted, and its owner can correct it', async () => {
    await using other = await startServer({ seed });
    await insertOldNames(other);
    const { admin, appContext } = other;
    const identities = ['ali\u200bas', 'x@example.com.'];
    await appContext.store.transaction(async (tx) => {
      const user = await tx.users.get('u-known');
      if (user) await tx.users.replace({ ...user, identities });
    });
    for (const identity of [...identities, 'ALI\u200bas'])
      await admin.userIdentities.addIdentity({ params: { id: 'u-known' }, body: { identity } });
    expect(await applySeed({ users: [{ userId: 'u-known', identities }] }, appContext)).toMatchObject({
      users: { unchanged: 1 },
    });
    const alias = { params: { id: 'u-old' }, body: { identity: 'Alias' } };
    expect(await catchClientError(admin.userIdentities.addIdentity(alias))).toMatchObject({ code: 'LOGIN_NAME_TAKEN' });
    const params = { groupId: 'g-old' };
    await admin.groups.update({ params, body: { groupName: 'o\u200bps ', roles: ['DEPLOY'] } });
    expect(await appContext.store.groups.get('g-old')).toMatchObject({ groupName: 'o\u200bps ', roles: ['DEPLOY'] });
    await admin.userIdentities.update({ params: { id: 'u-old' }, body: { userName: 'ali\u202ece', lead: true } });
    expect(await appContext.store.users.get('u-old')).toMatchObject({ userName: 'ali\u202ece', lead: true });
    await admin.apiKey.create({ body: { appId: 'bil\u00adling', clientId: 'c-one' } });
    const old = {
      groups: [{ groupName: 'o\u200bps ' }],
      users: [{ userId: 'u-old', userName: 'ali\u202ece' }],
      clients: [{ clientId: 'c-one', appId: 'bil\u00adling' }],
    };
    expect(await applySeed(old, appContext)).toMatchObject({ groups: { unchanged: 1 }, clients: { unchanged: 1 } });
    await admin.groups.update({ params, body: { groupName: 'ops' } });
    await admin.userIdentities.update({ params: { id: 'u-old' }, body: { userName: 'alice' } });
    expect(await appContext.store.users.getBy('login', 'alice')).toMatchObject({ userId: 'u-old' });
  });

  test('of a seed is rejected if it is new', async () => {
    const before = await server.dump();
    for (const rejected of [
      { groups: [{ groupName: 'ne\u200bw' }] },
      { users: [{ userName: 'ne\u200bw' }] },
      { users: [{ userName: 'new', identities: ['provider:ne\u200bw', 'ne\u200bw'] }] },
      { users: [{ userName: 'new', identities: ['\u00a0new'] }] },
      { clients: [{ clientId: 'c-new', appId: 'new ' }] },
      { apiKeys: [{ clientId: 'c-one', apiKeyId: 'k-new', appId: 'ne\u200bw', apiKey: `${'n'.repeat(42)}E=` }] },
    ])
      await expect(applySeed(rejected, server.appContext)).rejects.toThrow(/must not (contain invisible|start or end)/);
    expect(await server.dump()).toEqual(before);
  });

  test.each([
    'a b@c.de',
    'x@ex.com.',
    'x@[1.2.3.4]',
    'x@1.2.3.4',
    'a***@ex.com',
    'a@b@c.de',
    'x@fa\u00adß.de',
    '"x"@ex.com',
    'fw＠ex.com',
    'fw﹫ex.com',
    'f＠w@ex.com',
    '＠',
  ])('%j in the form of an address is rejected as a new login identifier', async (identity) => {
    const params = { id: 'u-known' };
    const failure = await catchClientError(server.admin.userIdentities.addIdentity({ params, body: { identity } }));
    expect(failure).toMatchObject({ items: [{ details: { field: 'identity' } }] });
    expect([400, 422]).toContain(failure.status);
    const seeded = applySeed({ users: [{ userId: 'u-known', identities: ['ok', identity] }] }, server.appContext);
    await expect(seeded).rejects.toMatchObject({ issues: [{ path: ['users', 0, 'identities', 1] }] });
  });

  test.each(['fw＠ex.com', 'fw﹫ex.com', '＠ex'])('%j is rejected as a new user name', async (userName) => {
    const before = await server.dump();
    for (const what of Object.keys(requests).filter((one) => one.endsWith('userName')))
      await expect(requests[what]?.(userName), what).rejects.toMatchObject({ code: 'USER_NAME_RESERVED' });
    await expect(applySeed({ users: [{ userName }] }, server.appContext)).rejects.toThrow('at sign other than @');
    expect(await server.dump()).toEqual(before);
  });

  test('of the administrator in the environment is rejected', async () => {
    const start = (name: string) => startServer({ environment: { IAM_ADMIN_USER: name } });
    await expect(start('ad\u200bmin')).rejects.toThrow('IAM_ADMIN_USER must not contain invisible characters');
    await expect(start('ad\ufffdmin')).rejects.toThrow('IAM_ADMIN_USER must not contain U+FFFD');
    await expect(start('admin＠ex.com')).rejects.toThrow('IAM_ADMIN_USER must not contain an at sign other than @');
  });
});
