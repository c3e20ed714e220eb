/** For each operation that checks a one-time code: how to request and submit one from an address, for any of several subjects. */
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { OperationId } from '../../../src/server/operations/index.ts';
import type { SeedDocument } from '../../../src/server/seed/schema.ts';
import { appClientId, startServer, type TestServer } from '../../harness.ts';
import { lastCode } from '../../server/operations/otp-inbox.ts';
import { passwordHash } from '../../server/operations/user-identities/login-fixtures.ts';
import { createTokens } from '../../server/operations/user-identities/session-fixtures.ts';
import type { RawResponse } from '../../server/property/raw-sender.ts';

/** Codes of one subject. */
export interface CodeFlow {
  /** Requests a code; the result is what a later step sends with it. */
  request(ip: string): Promise<RawResponse>;
  readCode(): Promise<string>;
  submit(ip: string, code: string, requested?: RawResponse): Promise<RawResponse>;
}

export interface CodeCheck {
  /** Whether the code is submitted in a session, beside the password. */
  readonly isSecondFactor: boolean;
  /** @param number of the subject, from 1 */
  start(server: TestServer, number: number): Promise<CodeFlow>;
}

const subjects = 12;
const numbers = Array.from({ length: subjects }, (_, at) => at + 1);

export const userIdOf = (number: number) => `user-${number}`;
const emailOf = (number: number) => `user-${number}@example.com`;
const logonEmailOf = (number: number) => `logon-${number}@mainframe.example`;

const seed: SeedDocument = {
  users: numbers.map((number) => ({
    ...{ userId: userIdOf(number), userName: userIdOf(number), userEmail: emailOf(number), passwordHash },
    legacyLogons: [`OWNED${number}`],
  })),
  mainframe: numbers.flatMap((number) => [
    { logon: `OWNED${number}`, email: logonEmailOf(number) },
    { logon: `FREE${number}`, email: `free-${number}@mainframe.example` },
  ]),
};

/** A server behind a proxy on this machine, with users 1 to 12. */
export function startCodeServer(): Promise<TestServer> {
  return startServer({ seed, flags: { 'trusted-proxies': '127.0.0.0/8', 'fast-passwords': true } });
}

type Headers = readonly (readonly [string, string])[];

/** Sends a POST from an address. */
export function postFrom(
  server: TestServer,
  ip: string,
  path: string,
  { body, headers = [] }: { readonly body?: object; readonly headers?: Headers } = {},
): Promise<RawResponse> {
  return server.send({
    method: 'POST',
    path: `${servicePrefix}${path}`,
    headers: [...headers, ['X-Forwarded-For', ip], ...(body ? [['Content-Type', 'application/json'] as const] : [])],
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

const named = `?clientId=${appClientId}`;
const me = '/user-identities/me';

/** Sends requests in a new session of a user, as an attacker with the password can. */
export async function startUserSession(server: TestServer, number: number) {
  const { accessToken } = await createTokens(server, { userId: userIdOf(number) });
  const headers: Headers = [['Authorization', `Bearer ${accessToken}`]];
  return (ip: string, path: string, body?: object) =>
    postFrom(server, ip, `${me}${path}`, { headers, ...(body ? { body } : {}) });
}

const fieldOf = (response: RawResponse | undefined, name: string) =>
  String((response?.json as Record<string, unknown> | undefined)?.[name] ?? 'none');

export const codeChecks: Partial<Record<OperationId, CodeCheck>> = {
  'user-identities.create': {
    isSecondFactor: false,
    async start(server, number) {
      const userEmail = `new-${number}@example.com`;
      return {
        request: (ip) => postFrom(server, ip, `/user-identities/identification${named}`, { body: { userEmail } }),
        readCode: () => lastCode(server, userEmail),
        submit: (ip, token) =>
          postFrom(server, ip, `/user-identities${named}`, { body: { userName: `new-${number}`, userEmail, token } }),
      };
    },
  },
  'user-identities.reset-password': {
    isSecondFactor: false,
    async start(server, number) {
      const username = userIdOf(number);
      return {
        request: (ip) =>
          postFrom(server, ip, `/user-identities/retrieve-identity${named}`, { body: { userName: username } }),
        readCode: () => lastCode(server, emailOf(number)),
        submit: (ip, validationCode) =>
          postFrom(server, ip, `/user-identities/reset-password${named}`, {
            body: { username, validationCode, newPassword: 'a window in the roof' },
          }),
      };
    },
  },
  'user-identities.reset-legacy-password': {
    isSecondFactor: false,
    async start(server, number) {
      const logon = `OWNED${number}`;
      return {
        request: (ip) => postFrom(server, ip, `/user-identities/retrieve-legacy-identity${named}`, { body: { logon } }),
        readCode: () => lastCode(server, logonEmailOf(number)),
        submit: (ip, token, requested) =>
          postFrom(server, ip, `/user-identities/reset-legacy-password${named}`, {
            body: { logon, token, hash: fieldOf(requested, 'hash'), newPassword: 'NEW#PW1' },
          }),
      };
    },
  },
  'user-identities.fulfill-mfa': {
    isSecondFactor: true,
    async start(server, number) {
      const send = await startUserSession(server, number);
      return {
        request: (ip) => send(ip, '/leverage-mfa', {}),
        readCode: () => lastCode(server, emailOf(number)),
        submit: (ip, token, requested) =>
          send(ip, '/fulfill-mfa', { challengeId: fieldOf(requested, 'challengeId'), token }),
      };
    },
  },
  'user-identities.factors.validate-token': {
    isSecondFactor: true,
    async start(server, number) {
      const send = await startUserSession(server, number);
      const path = '/authentication-factors/main-email/tokens';
      return {
        request: (ip) => send(ip, path),
        readCode: () => lastCode(server, emailOf(number)),
        submit: (ip, token) => send(ip, `${path}/validate`, { token }),
      };
    },
  },
  'user-identities.complete-associate-legacy': {
    isSecondFactor: true,
    async start(server, number) {
      const send = await startUserSession(server, number);
      return {
        request: (ip) => send(ip, '/legacy-logons/email', { logon: `FREE${number}` }),
        readCode: () => lastCode(server, `free-${number}@mainframe.example`),
        submit: (ip, token, requested) =>
          send(ip, '/legacy-logons/complete', { challengeId: fieldOf(requested, 'challengeId'), token }),
      };
    },
  },
};

/** Operations that check a value of 256 random bits, which needs no limit. */
export const tokenChecks: readonly OperationId[] = ['user-identities.grant-auth-smart'];
