/** Requests with any credentials, right or wrong. */
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { RequestSource } from '../../../src/server/lib/request-source.ts';
import { buildHead, type Origin, send } from '../http/raw-http.ts';

/** The source of a request from this machine. */
export const loopbackSource: RequestSource = {
  address: '127.0.0.1',
  network: '127.0.0.1',
  key: '127.0.0.1',
  isLoopback: true,
};

export interface AuthOutcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly challenge: string | undefined;
}

export const groupsPath = `${servicePrefix}/groups`;
export const loginPath = `${servicePrefix}/client-identities/login`;

/** GET (or another method) with exactly these header lines. */
export async function sendWithHeaders(
  origin: Origin,
  lines: readonly string[],
  path = groupsPath,
  method = 'GET',
): Promise<AuthOutcome> {
  const response = await send(
    origin,
    buildHead(`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines),
  );
  const body = response.text === '' ? undefined : (JSON.parse(response.text) as { code?: string }[]);
  return { status: response.status, code: body?.[0]?.code, challenge: response.headers['www-authenticate'] };
}

export function loginWithHeaders(origin: Origin, lines: readonly string[]): Promise<AuthOutcome> {
  return sendWithHeaders(origin, [...lines, 'Content-Length: 0'], loginPath, 'POST');
}

export function formatBasicHeader(name: string, secret: string): string {
  return `Authorization: Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

export const basicChallenge = 'Basic realm="iam", charset="UTF-8"';
export const invalidCredentials: AuthOutcome = { status: 401, code: 'CREDENTIALS_INVALID', challenge: basicChallenge };
export const invalidToken: AuthOutcome = {
  status: 401,
  code: 'TOKEN_INVALID',
  challenge: 'Bearer realm="iam", error="invalid_token"',
};
