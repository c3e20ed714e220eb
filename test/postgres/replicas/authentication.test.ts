/** What one server revoked, rotated or counted holds on the other with the next call. */
import { sign } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import { rounds } from '../../effort.ts';
import { adminClient, appClientId, type TestServer } from '../../harness.ts';
import { send } from '../../server/control/control-client.ts';
import { createAuthority, createCertificate } from '../../server/federation/certificates.ts';
import { alice, basic, password, post } from '../../server/operations/user-identities/login-fixtures.ts';
import { createTokens, findSession, type Tokens } from '../../server/operations/user-identities/session-fixtures.ts';
import { databaseUrl } from '../database.ts';
import { startReplicas, until } from './replicas.ts';

const seed = { users: [alice] };

/** Over shared connections: many rounds would exceed the limit of a server with one for each call. */
const statusWith = async (server: TestServer, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await send(server, `${servicePrefix}/user-identities/${alice.userId}`, { headers })).status;
};

const login = (server: TestServer, secret: string) =>
  post(server, `/user-identities/login?clientId=${appClientId}`, { authorization: basic(alice.userName, secret) });

const endings = rounds(20);
const rotations = rounds(3);

describe('access that one server ended', () => {
  const cases: readonly [string, (server: TestServer, tokens: Tokens) => Promise<unknown>][] = [
    [
      'a lock',
      async ({ admin }) => {
        await admin.userIdentities.lock({ body: { userId: alice.userId } });
        await admin.userIdentities.unlock({ body: { userId: alice.userId } });
      },
    ],
    [
      'a new password',
      (server) =>
        send(server, `/_iam/users/${alice.userId}/password`, { method: 'PUT', body: { newPassword: `${password}!` } }),
    ],
    [
      'the end of the session',
      async (server, tokens) =>
        send(server, `/_iam/sessions?sessionId=${(await findSession(server, tokens))?.sessionId}`, {
          method: 'DELETE',
        }),
    ],
  ];
  test.each(cases)('by %s is refused by the other with the next call', async (_what, end) => {
    await using replicas = await startReplicas({ seed });
    const { servers } = replicas;
    for (let round = 0; round < endings; round += 1) {
      const [here, there] = round % 2 === 0 ? [servers[0], servers[1]] : [servers[1], servers[0]];
      const tokens = await createTokens(here);
      expect([await statusWith(there, tokens.accessToken), await statusWith(here, tokens.accessToken)]).toEqual([
        200, 200,
      ]);
      await end(here, tokens);
      expect(await statusWith(there, tokens.accessToken)).toBe(401);
    }
  });
});

describe('a rotated signing key', () => {
  const issue = async (server: TestServer) => (await server.as(adminClient).clientIdentities.login()).accessToken;
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const accepts = async (server: TestServer, token: string) =>
    (await server.as({ token }).raw('GET', `${servicePrefix}/groups`)).status;
  const publishedKids = async (server: TestServer) => {
    const { body } = await server.as().raw('GET', '/.well-known/jwks.json');
    return (body as { keys: readonly { kid: string }[] }).keys.map(({ kid }) => kid);
  };

  test('is published by all servers, and signs on all of them ten seconds later', async () => {
    await using replicas = await startReplicas();
    const [first, second] = replicas.servers;
    const old = await issue(first);
    const { body } = await send(first, '/_iam/keys/rotate', { method: 'POST' });
    const { kid } = body as { kid: string };
    expect(body).toEqual({ kid, signsFrom: '2026-03-01T12:00:10.000Z', retired: [] });
    expect(await send(second, '/_iam/keys/rotate', { method: 'POST' })).toMatchObject({ body: { kid } });
    await until(async () => ((await publishedKids(second)).includes(kid) ? true : undefined));
    expect(kidOf(await issue(first))).toBe(kidOf(old));
    expect((await send(second, '/_iam/keys')).body).toMatchObject([{ state: 'current' }, { kid, state: 'next' }]);

    first.clock.advance(10);
    const tokens = [];
    for (const server of replicas.servers)
      tokens.push(
        await until(async () => {
          const token = await issue(server);
          return kidOf(token) === kid ? token : undefined;
        }),
      );
    for (const server of replicas.servers)
      for (const token of [old, ...tokens]) expect(await accepts(server, token)).toBe(200);
    const signing = (await first.appContext.store.signingKeys.list()).filter(({ current }) => current);
    expect(signing.map((row) => row.kid)).toEqual([kid]);
  });

  test('of ID tokens is one for all servers, and each publishes it at once', async () => {
    await using replicas = await startReplicas({ flags: { 'signing-alg': 'EdDSA' } });
    const sign = async ({ appContext }: TestServer) =>
      String(kidOf(await (await appContext.keys.idTokenSigner('ES256')).sign({})));
    const [first, second] = replicas.servers;
    const kid = await sign(first);
    expect(await publishedKids(second)).toContain(kid);
    expect(await sign(second)).toBe(kid);
  });

  test('refuses no token while it changes', async () => {
    await using replicas = await startReplicas({ count: 3 });
    const { servers } = replicas;
    const announced = new Set<string>();
    const kids = new Set<string | undefined>();
    /** Issues tokens at all servers in turn and uses each at all servers, until one has this key. */
    const callUntil = async (kid: string, first: number) => {
      for (let at = first; !kids.has(kid); at += 1) {
        const token = await issue(servers[at % 3] as TestServer);
        kids.add(kidOf(token));
        expect(await Promise.all(servers.map((server) => accepts(server, token)))).toEqual([200, 200, 200]);
      }
    };
    for (let rotation = 0; rotation < rotations; rotation += 1) {
      const { body } = await send(servers[rotation % 3] as TestServer, '/_iam/keys/rotate', { method: 'POST' });
      const { kid } = body as { kid: string };
      announced.add(kid);
      servers[0].clock.advance(10);
      await Promise.all([0, 1, 2, 3, 4, 5].map((caller) => callUntil(kid, caller)));
    }
    expect(announced.size).toBe(rotations);
  });
});

describe('failed logins', () => {
  test('count on both servers together', async () => {
    await using replicas = await startReplicas({ seed });
    const { servers } = replicas;
    for (let failure = 0; failure < 10; failure += 1)
      expect((await login(servers[failure % 2] as TestServer, 'wrong')).status).toBe(401);
    for (const server of servers) expect((await login(server, password)).status).toBe(429);
    servers[0].clock.advance(30);
    expect((await login(servers[1], password)).status).toBe(201);
    expect((await login(servers[0], 'wrong')).status).toBe(401);
  });

  test('of many at once: at most ten at each server, then none', async () => {
    await using replicas = await startReplicas({ seed });
    const { servers } = replicas;
    const attempts = Array.from({ length: 100 }, (_, at) => login(servers[at % 2] as TestServer, `wrong ${at}`));
    const verified = (await Promise.all(attempts)).filter(({ status }) => status === 401);
    expect(verified.length).toBeGreaterThanOrEqual(10);
    expect(verified.length).toBeLessThanOrEqual(20);
    for (const server of servers) expect((await login(server, 'wrong')).status).toBe(429);
  });

  test('end on both servers with an unlock on the one that has not counted them', async () => {
    await using replicas = await startReplicas({ seed });
    const { servers } = replicas;
    for (let failure = 0; failure < 10; failure += 1) await login(servers[0], 'wrong');
    expect((await login(servers[0], password)).status).toBe(429);
    await servers[1].admin.userIdentities.unlock({ body: { userId: alice.userId } });
    for (const server of servers) expect((await login(server, password)).status).toBe(201);
  });

  test('end on both servers with a login by a certificate on the one that has not counted them', async () => {
    const root = createAuthority({ name: 'Root', key: 'ec' });
    const certificate = createCertificate({ issuer: root, key: 'ec-other', emails: [alice.userEmail] });
    const providers = [{ kind: 'certificateAuthority', name: 'root', certificate: root.pem }] as const;
    await using replicas = await startReplicas({ seed: { ...seed, providers: [...providers] } });
    const { servers } = replicas;
    for (let failure = 0; failure < 10; failure += 1) await login(servers[0], 'wrong');
    const { userIdentities } = servers[1].as();
    const { token } = await userIdentities.certificateToken({ query: { clientId: appClientId } });
    const key = { key: certificate.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', Buffer.from(token), key).toString('base64');
    const body = { token, certificate: certificate.pem, signature };
    await userIdentities.certificateLogin({ query: { clientId: appClientId }, body });
    for (const server of servers) expect((await login(server, password)).status).toBe(201);
  });

  test('count from when they were made, also at a server that reads them later', async () => {
    await using replicas = await startReplicas({ seed });
    const { schema, servers } = replicas;
    for (let failure = 0; failure < 10; failure += 1) await login(servers[0], 'wrong');
    expect((await login(servers[0], password)).status).toBe(429);
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    await database.query(`update ${schema}.login_events set at = at - interval '1 minute'`);
    await database.end();
    expect((await login(servers[1], password)).status).toBe(201);
  });

  test('end on both servers with a new password', async () => {
    await using replicas = await startReplicas({ seed });
    const { servers } = replicas;
    for (let failure = 0; failure < 10; failure += 1) await login(servers[0], 'wrong');
    expect((await login(servers[1], password)).status).toBe(429);
    const body = { newPassword: `${password}!` };
    expect(
      (await send(servers[1], `/_iam/users/${alice.userId}/password`, { method: 'PUT', body })).status,
    ).toBeLessThan(300);
    for (const server of servers) expect((await login(server, `${password}!`)).status).toBe(201);
  });
});
