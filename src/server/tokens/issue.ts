/** Issues access tokens. */

import type { SigningAlgorithm } from '../../contract/signing-algorithms.ts';
import type { Settings } from '../config/settings.ts';
import type { LengthLimit } from '../directory/administrators.ts';
import { resolveGroupRolesOfUser } from '../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Session } from '../store/tables.ts';
import {
  type AccessClaims,
  type ClaimOptions,
  createCommonClaims,
  createLogonClaims,
  createOwnerClaims,
  createUserClaims,
  toAuthorities,
} from './claims.ts';
import type { TokenContent, TokenSize } from './content.ts';
import { createSampleSigner } from './jwt-signer.ts';
import type { CurrentSigningKey } from './keys.ts';
import { readSampleClient, toSampleContent } from './sample-content.ts';

/** The token response of the interface. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: string;
  readonly scope: string[];
  readonly refreshToken?: string;
}

export interface TokenIssuer {
  /**
   * Signs a token with this content; reads nothing.
   * @param onIssue called with the claims before they are signed
   */
  issue(content: TokenContent, onIssue?: (claims: AccessClaims) => void): Promise<TokenResponse>;
  /** The size of the token with this content, which is not signed for that. */
  measure(content: TokenContent): TokenSize;
  fitsUser: LengthLimit['fitsUser'];
  /** Remaining lifetime in seconds, independent of the format of expiresIn. */
  secondsLeft(token: TokenResponse): number;
  /** Expiry of an access token by id, in epoch seconds; known only for the most recently issued tokens. */
  findExpiry(tokenId: string): number | undefined;
}

/** As long as every id of a token. */
const sampleId = '00000000-0000-4000-8000-000000000000';

/** The number of tokens whose expiry is tracked. */
const maxTrackedTokens = 10_000;

export interface IssuerOptions extends ClaimOptions {
  readonly keys: { current(): Pick<CurrentSigningKey, 'signer'> };
  /** Maximum length of a token in bytes. */
  readonly maxToken: number;
  /** Lifetime of a client's token in seconds. */
  readonly clientTokenLifetime: number;
  /** Lifetime of a user's token in seconds, and in a remembered session. */
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
  /** Format of expiresIn: remaining seconds, or the epoch second of expiry, which some deployments send. */
  readonly expiresIn: 'seconds' | 'epoch';
}

export function createIssuer(options: IssuerOptions): TokenIssuer {
  const issuer = createIssuerOfContents(options);
  return {
    ...issuer,
    async fitsUser(reader, user) {
      const roles = await resolveGroupRolesOfUser(reader, user);
      const { length, maxLength } = issuer.measure(toSampleContent(user, await readSampleClient(reader), roles));
      return length <= maxLength;
    },
  };
}

/** Part of the issuer: what checks the length of tokens. */
export type TokenMeasure = Pick<TokenIssuer, 'measure' | 'fitsUser'>;

/** Measures tokens before the server has its keys: their length can differ by that of the signature and of the issuer. */
export function createTokenMeasure(settings: Settings, clock: Clock): TokenMeasure {
  const signer = createSampleSigner(settings.signingAlg as SigningAlgorithm);
  return createIssuer({
    ...settings,
    clock,
    random: { uuid: () => sampleId },
    issuer: settings.issuer ?? settings.baseUrl ?? sampleIssuerUrl,
    keys: { current: () => ({ signer }) },
  });
}

const sampleIssuerUrl = 'http://127.0.0.1:65535';

function createIssuerOfContents(options: IssuerOptions): Omit<TokenIssuer, 'fitsUser'> {
  const expiries = new Map<string, number>();
  const createClaims = createClaimsFactory(options);
  const createSampleClaims = createClaimsFactory({ ...options, random: { uuid: () => sampleId } });
  return {
    findExpiry: (tokenId) => expiries.get(tokenId),
    issue(content, onIssue) {
      const claims = createClaims(content);
      onIssue?.(claims);
      expiries.set(claims.jti, claims.exp);
      const oldest = expiries.keys().next().value;
      if (expiries.size > maxTrackedTokens && oldest !== undefined) expiries.delete(oldest);
      return createTokenResponse(claims, options, content.refreshToken);
    },
    measure(content) {
      const claims = createSampleClaims(content);
      return {
        length: options.keys.current().signer.measure(claims),
        maxLength: options.maxToken,
        roleCount: claims.authorities.length,
      };
    },
    secondsLeft: ({ expiresIn }) =>
      Number(expiresIn) - (options.expiresIn === 'epoch' ? epochSeconds(options.clock) : 0),
  };
}

function createClaimsFactory(options: IssuerOptions): (content: TokenContent) => AccessClaims {
  const formatAuthorities = createAuthoritiesFormatter();
  return (content) => {
    if (content.kind === 'client') {
      return {
        // First, as fields after a spread are slow with Node 20.
        authorities: formatAuthorities(content.roles),
        ...createCommonClaims(content, options, options.clientTokenLifetime),
        ...createOwnerClaims(content.client),
      };
    }
    const common = createCommonClaims(content, options, sessionLifetime(content.session, options));
    return content.kind === 'user' ? createUserClaims(content, common) : createLogonClaims(content, common);
  };
}

function sessionLifetime({ remember }: Session, options: IssuerOptions): number {
  return remember ? options.rememberedTokenLifetime : options.userTokenLifetime;
}

async function createTokenResponse(
  claims: AccessClaims,
  options: IssuerOptions,
  refreshToken: string | undefined,
): Promise<TokenResponse> {
  return {
    accessToken: await options.keys.current().signer.sign(claims),
    tokenType: 'Bearer',
    expiresIn: String(options.expiresIn === 'epoch' ? claims.exp : claims.exp - claims.iat),
    scope: claims.scope,
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

/** Creates a formatter that caches by role set: clients without groups have the same set object for each token. */
function createAuthoritiesFormatter(): (roles: ReadonlySet<string>) => string[] {
  const authoritiesByRoles = new WeakMap<ReadonlySet<string>, string[]>();
  return (roles) => {
    const cached = authoritiesByRoles.get(roles);
    if (cached) return cached;
    const authorities = toAuthorities(roles);
    authoritiesByRoles.set(roles, authorities);
    return authorities;
  };
}
