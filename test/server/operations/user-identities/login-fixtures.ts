/** Users who can log in, and raw HTTP requests, for the tests of logins. */
import { decodeJwt } from 'jose';
import { servicePrefix } from '../../../../src/contract/prefix.ts';
import { createHashQueue, type HashQueue } from '../../../../src/server/limits/hash-queue.ts';
import type { SeedUser } from '../../../../src/server/seed/schema.ts';
import { type AccessClaims, parseAuthorities } from '../../../../src/server/tokens/claims.ts';
import { createPasswordHasher, createPasswords, type Passwords } from '../../../../src/server/users/passwords.ts';
import { appClientId, startServer, type TestServer, type TestServerOptions } from '../../../harness.ts';

export const password = 'open sesame, please';
/** At the lowest cost, as the servers of the tests hash new passwords. */
export const hashFast = createPasswordHasher(true);
export const passwordHash = await hashFast(password);

export const alice = {
  userId: 'alice-id',
  userName: 'Alice',
  userEmail: 'alice@example.com',
  identities: ['alice.smith'],
  passwordHash,
} satisfies SeedUser;

/** Starts a server with Alice and these users. */
export function startWith(users: readonly SeedUser[] = [], options: TestServerOptions = {}): Promise<TestServer> {
  return startServer({ ...options, seed: { ...options.seed, users: [alice, ...users] } });
}

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  /** Headers without those that differ between responses. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body if it is an object or an array. */
  readonly json: unknown;
}

/** Sends a POST under the service prefix and returns the response with any status. */
export async function post(
  server: TestServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<ApiResponse> {
  const response = await fetch(`${server.url}${servicePrefix}${path}`, { method: 'POST', headers, body: body ?? null });
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(response.headers);
  const text = await response.text();
  return { status: response.status, text, headers: rest, json: JSON.parse(text) as unknown };
}

const json = { 'content-type': 'application/json' };

export function postJson(
  server: TestServer,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  return post(server, path, { ...json, ...headers }, JSON.stringify(body));
}

export function postForm(
  server: TestServer,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  return post(
    server,
    '/client-identities/connect/token',
    { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    new URLSearchParams(fields).toString(),
  );
}

/** The three endpoints that accept a password of a user, each through the application client. */
export const loginEndpoints: Readonly<
  Record<string, (server: TestServer, name: string, secret: string) => Promise<ApiResponse>>
> = {
  login: (server, name, secret) =>
    post(server, `/user-identities/login?clientId=${appClientId}`, { authorization: basic(name, secret) }),
  'connect/token': (server, username, secret) =>
    postForm(server, { grant_type: 'password', client_id: appClientId, username, password: secret }),
  'generate-token': (server, userName, secret) =>
    postJson(server, '/generate-token', {
      grantType: 'password',
      clientId: appClientId,
      userName,
      password: secret,
    }),
};

/** Logs a user in over HTTP and returns the whole token response. */
export function logIn(server: TestServer, { name = alice.userName, secret = password, remember = false } = {}) {
  return server.as().userIdentities.login({
    query: { clientId: appClientId, 'remember-me': remember },
    headers: { authorization: basic(name, secret) },
  });
}

export function readClaims(token: { accessToken: string }): AccessClaims {
  return decodeJwt<AccessClaims>(token.accessToken);
}

export function readRoles(token: { accessToken: string }): string[] {
  return parseAuthorities(readClaims(token)).sort();
}

/** Replaces functions of the password hasher of the server. */
export function replacePasswords(server: TestServer, passwords: Partial<Passwords>): void {
  Object.assign(server.appContext, { passwords: { ...server.appContext.passwords, ...passwords } });
}

/** Counts the hashes that the server computes from now on. */
export function countHashes(
  server: TestServer,
  queue: HashQueue = createHashQueue({ concurrency: 2, maxWaiting: 400, clock: server.clock }),
): { count: number } {
  const counted = { count: 0 };
  const run: HashQueue['run'] = (work, flow) =>
    queue.run(() => {
      counted.count += 1;
      return work();
    }, flow);
  replacePasswords(server, createPasswords({ run }, { fast: server.appContext.settings.fastPasswords }));
  return counted;
}

/** Runs a change after a password was verified and before the request continues. */
export function afterPasswordCheck(server: TestServer, change: () => Promise<unknown>): void {
  const { matches } = server.appContext.passwords;
  replacePasswords(server, {
    matches: async (secret, hash, flow) => {
      const right = await matches(secret, hash, flow);
      await change();
      return right;
    },
  });
}

/** As many role names, each of 27 bytes. */
export function listRoles(count: number, prefix = 'REPORTING'): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}_${String(at).padStart(17, '0')}`);
}

/** Gives a user these roles without the checks of an operation. */
export async function giveRoles(server: TestServer, roles: readonly string[], userId = alice.userId): Promise<void> {
  const { store, ids } = server.appContext;
  const groupId = ids.newId();
  await store.transaction(async (tx) => {
    await tx.groups.insert({ groupId, groupName: `g-${groupId}`, roles, dependencies: [], createdAt: 'x' });
    await tx.memberships.insert({ groupId, kind: 'user', memberId: userId });
  });
}
