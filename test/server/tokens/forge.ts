/** Forges tokens with any header, any claims and any key. */
import { createPrivateKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { servicePrefix } from '../../../src/contract/prefix.ts';
import type { SigningKey } from '../../../src/server/store/tables.ts';
import { adminClient, type TestServer } from '../../harness.ts';

/** Strings are used as JSON text, for what objects cannot express: 1e308, duplicate members. */
type Part = object | string;

export interface Forgery {
  readonly header?: Part;
  readonly payload?: Part;
  /** Signs the text `header.payload`; by default with the current key of the server. */
  readonly signature?: (signed: string) => Buffer | string;
}

export async function readCurrentKey({ appContext }: TestServer): Promise<SigningKey> {
  const row = (await appContext.store.signingKeys.list()).find((key) => key.current && key.purpose === undefined);
  if (!row) throw new Error('there is no current key');
  return row;
}

function importPrivateKey(row: SigningKey): KeyObject {
  return createPrivateKey({ key: row.privateJwk as JsonWebKey, format: 'jwk' });
}

/** RFC 7518, 3.4: R and S, 32 bytes each. */
export function createEs256Signer(key: KeyObject): (signed: string) => Buffer {
  return (signed) => sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
}

export function encodePart(part: Part): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Valid claims: those of the administrator client, for an hour from now. */
export function createValidClaims({ url, clock }: TestServer): Record<string, unknown> {
  const iat = Math.floor(clock.now().getTime() / 1000);
  return {
    iss: url,
    aud: url,
    sub: adminClient.clientId,
    iat,
    exp: iat + 3600,
    jti: '7d4b1a43-4f6f-4c7e-8f0a-0d6a3c1c5b10',
    scope: [],
    authorities: [
      'ROLE_CLI-AUTH-IDENTIFIED',
      'ROLE_CLI-AUTH-BASIC',
      'ROLE_CLI-1STPARTY',
      'ROLE_AUTH-BASIC',
      'ROLE_ADMIN',
    ],
    client_id: adminClient.clientId,
    app_id: 'iam-admin',
    stand_in: true,
  };
}

/** A token that differs from a valid one only in these parts. */
export async function forgeToken(server: TestServer, forgery: Forgery = {}): Promise<string> {
  const key = await readCurrentKey(server);
  const header = forgery.header ?? { alg: key.alg, kid: key.kid, typ: 'at+jwt' };
  const signed = `${encodePart(header)}.${encodePart(forgery.payload ?? createValidClaims(server))}`;
  const created = (forgery.signature ?? createEs256Signer(importPrivateKey(key)))(signed);
  return `${signed}.${typeof created === 'string' ? created : created.toString('base64url')}`;
}

export interface TokenOutcome {
  readonly status: number;
  readonly code: string | undefined;
  readonly challenge: string | null;
}

/** The response to this token of a read that requires an administrator. */
export async function callWithToken({ url }: TestServer, token: string): Promise<TokenOutcome> {
  const response = await fetch(`${url}${servicePrefix}/groups`, { headers: { authorization: `Bearer ${token}` } });
  const body = (await response.json()) as { code?: string }[];
  return { status: response.status, code: body[0]?.code, challenge: response.headers.get('www-authenticate') };
}

export const rejectedToken: TokenOutcome = {
  status: 401,
  code: 'TOKEN_INVALID',
  challenge: 'Bearer realm="iam", error="invalid_token"',
};

/** A token as the server issues it. */
export async function login({ url }: TestServer, { clientId, clientSecret } = adminClient): Promise<string> {
  const response = await fetch(`${url}${servicePrefix}/client-identities/login`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return accessToken;
}
