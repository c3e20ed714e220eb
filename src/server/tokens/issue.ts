/** Issues access tokens. */
import { type JWTPayload, SignJWT } from 'jose';
import { type Clock, epochSeconds } from '../clock.ts';
import { rolesOfProvenClient } from '../identity/clients.ts';
import type { Randomness } from '../randomness.ts';
import type { Store } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import { type AccessClaims, accessTokenType, asAuthorities } from './claims.ts';
import type { KeyRing } from './keys.ts';

/** The token response of the interface. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: string;
  readonly scope: string[];
}

export interface TokenIssuer {
  /** A token for a client that has proven itself: all that it may do now. */
  forClient(client: Client): Promise<TokenResponse>;
}

export interface IssuerOptions {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly issuer: string;
  /** Seconds that a client's token lives. */
  readonly clientTokenLifetime: number;
  /** How expiresIn is told: the remaining seconds, or the epoch second of expiry, as some deployments send it. */
  readonly expiresIn: 'seconds' | 'epoch';
}

export function createIssuer(options: IssuerOptions): TokenIssuer {
  return {
    async forClient(client) {
      const roles = await rolesOfProvenClient(options.store, client);
      const claims = clientClaims(client, roles, options);
      const expiresIn = options.expiresIn === 'epoch' ? claims.exp : options.clientTokenLifetime;
      return {
        accessToken: await sign(claims, options.keys),
        tokenType: 'Bearer',
        expiresIn: String(expiresIn),
        scope: claims.scope,
      };
    },
  };
}

function clientClaims(client: Client, roles: Iterable<string>, options: IssuerOptions): AccessClaims {
  // Within the second in which the secret was changed, the new tokens come after those that it ended.
  const iat = Math.max(epochSeconds(options.clock), client.tokensValidFrom ?? 0);
  return {
    iss: options.issuer,
    aud: options.issuer,
    sub: client.clientId,
    iat,
    exp: iat + options.clientTokenLifetime,
    jti: options.randomness.uuid(),
    scope: [...client.scope],
    authorities: asAuthorities(roles),
    client_id: client.clientId,
    app_id: client.appId,
    ...(client.businessId === undefined ? {} : { business_id: client.businessId }),
    ...(client.serviceAccountId === undefined ? {} : { service_id: client.serviceAccountId }),
    ...(client.organizationId === undefined ? {} : { organization_id: client.organizationId }),
    ...(client.businessUnitId === undefined ? {} : { business_unit_id: client.businessUnitId }),
  };
}

async function sign(claims: AccessClaims, keys: KeyRing): Promise<string> {
  const key = keys.current();
  return new SignJWT({ ...claims } as JWTPayload)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: accessTokenType })
    .sign(key.privateKey);
}
