/** Requests from several addresses behind a trusted proxy, for the tests of attacks on one-time codes. */

import type { SeedUser } from '../../../../src/server/seed/schema.ts';
import { type KnownSourceList, withKnownSource } from '../../../../src/server/sessions/known-sources.ts';
import { appClientId, type TestServer, type TestServerOptions } from '../../../harness.ts';
import { type ApiResponse, alice, postJson, startWith } from './login-fixtures.ts';

/** An address from which Alice logged in before, and one that is new. */
export const home = '203.0.113.1';
export const hotel = '203.0.113.99';
export const attackerAddress = (number = 1) => `198.51.100.${number}`;

export const newPassword = 'a window in the roof';

export const proxied = { 'trusted-proxies': '127.0.0.0/8' } as const;

/** Starts a server that trusts X-Forwarded-For and knows the home address of Alice. */
export async function startProxied(
  users: readonly SeedUser[] = [],
  options: TestServerOptions = {},
): Promise<TestServer> {
  const server = await startWith(users, { ...options, flags: { ...proxied, ...options.flags } });
  await addKnownSource(server, alice.userId, home);
  return server;
}

/** Records a source of a user as a login does, or as a second factor does. */
export async function addKnownSource(
  { appContext }: TestServer,
  userId: string,
  key: string,
  list?: KnownSourceList,
): Promise<void> {
  await appContext.store.transaction(async (tx) => {
    const user = await tx.users.get(userId);
    if (user) await tx.users.replace(withKnownSource(user, key, appContext, list));
  });
}

export function postFrom(
  server: TestServer,
  ip: string,
  path: string,
  body: object,
  token?: string,
): Promise<ApiResponse> {
  const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return postJson(server, path, body, { 'x-forwarded-for': ip, ...credentials });
}

const named = `clientId=${appClientId}`;

/** Requests a recovery code. */
export function requestCodeFrom(server: TestServer, ip: string, userName: string = alice.userName, more: object = {}) {
  return postFrom(server, ip, `/user-identities/retrieve-identity?${named}`, { userName, ...more });
}

/** Submits a recovery code. */
export function resetFrom(server: TestServer, ip: string, validationCode: string, more: object = {}) {
  const body = { newPassword, validationCode, username: alice.userName, ...more };
  return postFrom(server, ip, `/user-identities/reset-password?${named}`, body);
}

export function identifyFrom(server: TestServer, ip: string, userEmail: string) {
  return postFrom(server, ip, `/user-identities/identification?${named}`, { userEmail });
}

export function signUpFrom(server: TestServer, ip: string, token: string, more: object = {}) {
  const body = { userName: 'bob', userEmail: 'bob@example.com', token, ...more };
  return postFrom(server, ip, `/user-identities?${named}`, body);
}

/** Sends five requests from each of four addresses of attackers. */
export async function fromFourAttackers<Result>(work: (ip: string) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const number of [1, 2, 3, 4])
    for (let time = 0; time < 5; time += 1) results.push(await work(attackerAddress(number)));
  return results;
}
