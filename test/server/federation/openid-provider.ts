/** An OpenID provider on a free loopback port with configurable keys and responses. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { FakeClock } from '../../harness.ts';

export interface ProviderKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly publicJwk: JWK;
}

export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Keys of the JWKS document. */
  keys: JWK[];
  /** Number of requests for the JWKS document. */
  readonly fetches: number;
  /** Responds instead of the JWKS document. */
  respond: RequestListener | undefined;
  /** A signed ID token; claims override the defaults, undefined removes one. */
  token(claims?: JWTPayload, options?: { key?: ProviderKey; header?: Partial<JWTHeaderParameters> }): Promise<string>;
  /** Closes the server. */
  close(): Promise<void>;
}

export async function generateProviderKey(kid: string, alg = 'ES256'): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export const firstKey = await generateProviderKey('first');
export const audience = 'the-service';

/** Tokens are issued at the time of the clock and valid for five minutes. */
export async function startOpenIdProvider(clock: FakeClock): Promise<OpenIdProvider> {
  const server = createServer((request, response) => {
    provider.fetches += 1;
    if (provider.respond) return provider.respond(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: provider.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const provider = {
    issuer: url,
    jwksUri: `${url}/keys`,
    keys: [firstKey.publicJwk],
    fetches: 0,
    respond: undefined as RequestListener | undefined,
    close,
    async token(claims: JWTPayload = {}, { key = firstKey, header = {} }: Parameters<OpenIdProvider['token']>[1] = {}) {
      const now = Math.floor(clock.now().getTime() / 1000);
      const all = { iss: url, aud: audience, sub: 'subject-1', iat: now, exp: now + 300, ...claims };
      return new SignJWT(all).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
    },
    [Symbol.asyncDispose]: close,
  };
  return provider;
}
