/** The administrator of a sandbox with its own seed is a stranger to the server: what it can read opens nothing else. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { BootstrapResult } from '../../../src/server/bootstrap.ts';
import { adminClient, startServer, type TestServer } from '../../harness.ts';
import { send } from '../control/control-client.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const configured = privateKey.export({ format: 'jwk' });
const password = 'seven green umbrellas in June';
const seed = { groups: [{ groupName: 'ops' }] };

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'iam-tenants-'));
  const file = path.join(folder, 'key.pem');
  await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  server = await startServer({
    flags: { 'signing-key': file, 'mainframe-url': 'http://127.0.0.1:1', 'products-url': 'http://127.0.0.1:1' },
    environment: { IAM_ADMIN_PASSWORD: password, IAM_ADMIN_EMAIL: 'operator@corp.example' },
    seed: { groups: [{ groupName: 'of-the-server' }] },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const basic = (id: string, secret: string) => ({ Authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const groups = `${servicePrefix}/groups`;

async function createSandbox(name: string): Promise<Required<BootstrapResult>> {
  const { status, body } = await send(server, '/_iam/sandboxes', { method: 'POST', body: { name, seed } });
  expect(status).toBe(200);
  return body as Required<BootstrapResult>;
}

async function exportState(name: string): Promise<string> {
  const { body } = await send(server, `/s/${name}/_iam/state/export`);
  return JSON.stringify(body);
}

type Key = { kid: string; current: boolean; privateJwk: object };

describe('a sandbox with its own seed', () => {
  test('exports a key that signs no token of the server', async () => {
    await createSandbox('forger');
    const exported = await exportState('forger');
    expect(exported).not.toContain(configured.d);
    const { tables } = JSON.parse(exported) as { tables: { signingKeys: Key[] } };
    const [key] = tables.signingKeys.filter(({ current }) => current);
    const [known] = server.appContext.keys.publicKeys();
    for (const kid of [key?.kid, known?.kid]) {
      const token = await new SignJWT({
        ...{ client_id: adminClient.clientId, app_id: 'iam-admin', scope: ['READ', 'WRITE'] },
        authorities: ['ROLE_CLI-AUTH-IDENTIFIED', 'ROLE_CLI-1STPARTY', 'ROLE_AUTH-MFA', 'ROLE_IAM_ADMIN_MAINTENANCE'],
      })
        .setProtectedHeader({ alg: 'ES256', kid: String(kid), typ: 'at+jwt' })
        .setIssuer(server.url)
        .setAudience(server.url)
        .setSubject(adminClient.clientId)
        .setJti(crypto.randomUUID())
        .setIssuedAt(server.clock.now())
        .setExpirationTime(new Date(server.clock.now().getTime() + 600_000))
        .sign(await importJWK(key?.privateJwk ?? {}, 'ES256'));
      const { status } = await send(server, groups, { headers: { Authorization: `Bearer ${token}` } });
      expect([kid, status]).toEqual([kid, 401]);
    }
  });

  test('has neither a hash nor a name of the administrators of the server, nor its store secret', async () => {
    await createSandbox('reader');
    const exported = await exportState('reader');
    const { store } = server.appContext;
    const client = await store.clients.getBy('bootstrap', 'admin');
    const user = await store.users.getBy('bootstrap', 'admin');
    const [storeSecret] = await store.storeSecrets.list();
    for (const value of [client?.secretHash, user?.passwordHash, user?.userEmail, user?.userId, storeSecret?.value]) {
      expect(value).toBeDefined();
      expect(exported).not.toContain(value);
    }
    for (const snapshot of ['seed', 'empty']) {
      await send(server, '/s/reader/_iam/state/reset', { method: 'POST', body: { to: snapshot } });
      expect(await exportState('reader')).not.toContain(user?.passwordHash);
    }
  });

  test('has administrators of its own, whose secrets only the response that creates it contains', async () => {
    const own = await createSandbox('owner');
    expect(own).toMatchObject({ adminClientId: adminClient.clientId, adminUser: 'admin' });
    expect(own.adminPassword).not.toBe(password);
    const at = `/s/owner${groups}`;
    const statusOf = async (path: string, secret: string) =>
      (await send(server, path, { headers: basic(own.adminClientId, secret) })).status;
    expect(await statusOf(at, own.adminClientSecret)).toBe(200);
    expect(await statusOf(at, adminClient.clientSecret)).toBe(401);
    expect(await statusOf(groups, own.adminClientSecret)).toBe(401);
    const other = await createSandbox('other');
    expect(await statusOf(`/s/owner${groups}`, other.adminClientSecret)).toBe(401);
    const login = `${servicePrefix}/user-identities/login?clientId=${own.appClientId}`;
    const logIn = (prefix: string, secret: string) =>
      send(server, prefix + login, { method: 'POST', headers: basic('admin', secret) });
    expect((await logIn('/s/owner', own.adminPassword)).status).toBe(201);
    expect((await logIn('/s/owner', password)).status).toBe(401);
    expect((await logIn('', own.adminPassword)).status).toBe(401);
    for (const { body } of [await send(server, '/_iam/sandboxes'), await send(server, '/_iam/requests')])
      expect(JSON.stringify(body)).not.toContain(own.adminClientSecret);
  });

  test('uses the embedded external systems, and shows no file of the server', async () => {
    await createSandbox('embedded');
    const { body } = await send(server, '/s/embedded/_iam/settings');
    expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1:1"|key\.pem/);
    const sandbox = await server.appContext.sandboxes.open('embedded', false);
    expect(await sandbox.mainframe.find('LOGON1')).toBeUndefined();
    await expect(server.appContext.mainframe.find('LOGON1')).rejects.toMatchObject({ code: 'MAINFRAME_UNAVAILABLE' });
  });
});

test('a sandbox with the seed of the server has its administrators and hashes, and a key of its own', async () => {
  expect((await send(server, '/_iam/sandboxes', { method: 'POST', body: { name: 'same' } })).body).toEqual({
    ...{ name: 'same', baseUrl: `${server.url}/s/same` },
    ...{ createdAt: expect.any(String), expiresAt: expect.any(String) },
  });
  const headers = basic(adminClient.clientId, adminClient.clientSecret);
  expect((await send(server, `/s/same${groups}`, { headers })).status).toBe(200);
  const exported = await exportState('same');
  const client = await server.appContext.store.clients.getBy('bootstrap', 'admin');
  expect(exported).toContain(client?.secretHash);
  expect(exported).not.toContain(configured.d);
});
