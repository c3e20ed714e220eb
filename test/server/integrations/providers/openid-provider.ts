/** An OpenID provider on a free port of this machine: keys that tests choose, and answers that tests spoil. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { FakeClock } from '../../../harness.ts';

export interface ProviderKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly publicJwk: JWK;
}

export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly jwksUri: string;
  /** What the key document holds. */
  keys: JWK[];
  /** How often the key document was asked for. */
  readonly fetches: number;
  /** Answers in the place of the key document. */
  answer: RequestListener | undefined;
  /** A signed ID token; what is given takes the place of what is right, undefined takes it out. */
  token(claims?: JWTPayload, options?: { key?: ProviderKey; header?: Partial<JWTHeaderParameters> }): Promise<string>;
  /** From now on nobody listens. */
  goAway(): Promise<void>;
}

export async function generateProviderKey(kid: string, alg = 'ES256'): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export const firstKey = await generateProviderKey('first');
export const audience = 'the-service';

/** Tokens are of the time that the clock shows, and good for five minutes. */
export async function startOpenIdProvider(clock: FakeClock): Promise<OpenIdProvider> {
  const server = createServer((request, response) => {
    provider.fetches += 1;
    if (provider.answer) return provider.answer(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: provider.keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const goAway = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const provider = {
    issuer: url,
    jwksUri: `${url}/keys`,
    keys: [firstKey.publicJwk],
    fetches: 0,
    answer: undefined as RequestListener | undefined,
    goAway,
    async token(claims: JWTPayload = {}, { key = firstKey, header = {} }: Parameters<OpenIdProvider['token']>[1] = {}) {
      const now = Math.floor(clock.now().getTime() / 1000);
      const all = { iss: url, aud: audience, sub: 'subject-1', iat: now, exp: now + 300, ...claims };
      return new SignJWT(all).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
    },
    [Symbol.asyncDispose]: goAway,
  };
  return provider;
}
