/** Issues access tokens. */

import { computeLevel, rolesOfLevel } from '../directory/authentication-levels.ts';
import { partyRole, resolveAuthenticatedClientRoles } from '../directory/clients.ts';
import { logonSubjectPrefix } from '../directory/subject-ids.ts';
import { epochSeconds } from '../lib/clock.ts';
import type { Client, Session, User } from '../store/tables.ts';
import {
  type AccessClaims,
  type ClaimOptions,
  createCommonClaims,
  createOwnerClaims,
  createUserClaims,
  type TokenRestrictions,
  toAuthorities,
} from './claims.ts';
import type { KeyRing } from './keys.ts';

/** The token response of the interface. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: string;
  readonly scope: string[];
  readonly refreshToken?: string;
}

export interface TokenIssuer {
  /** Issues a token for an authenticated client, with all its current authorities. */
  issueForClient(client: Client, tokenOptions?: IssueTokenOptions): Promise<TokenResponse>;
  /** Issues a token for a user in a session: the user's level and roles, and the client's party and scope. */
  issueForUser(user: User, session: Session, client: Client, tokenOptions?: IssueTokenOptions): Promise<TokenResponse>;
  /** Issues a token for a mainframe logon that is linked to no user. */
  issueForLogon(
    logon: string,
    session: Session,
    client: Client,
    tokenOptions?: IssueTokenOptions,
  ): Promise<TokenResponse>;
  /** Remaining lifetime in seconds, independent of the format of expiresIn. */
  secondsLeft(token: TokenResponse): number;
  /** Expiry of an access token by id, in epoch seconds; known only for the most recently issued tokens. */
  findExpiry(tokenId: string): number | undefined;
}

/** The number of tokens whose expiry is tracked. */
const maxTrackedTokens = 10_000;

/** Additional content or restrictions of a token. */
export interface IssueTokenOptions extends TokenRestrictions {
  readonly refreshToken?: string | undefined;
  /** Called with the claims of the token before it is signed. */
  readonly onIssue?: ((claims: AccessClaims) => void) | undefined;
}

export interface IssuerOptions extends ClaimOptions {
  readonly keys: KeyRing;
  /** Lifetime of a client's token in seconds. */
  readonly clientTokenLifetime: number;
  /** Lifetime of a user's token in seconds, and in a remembered session. */
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
  /** Format of expiresIn: remaining seconds, or the epoch second of expiry, which some deployments send. */
  readonly expiresIn: 'seconds' | 'epoch';
}

export function createIssuer(options: IssuerOptions): TokenIssuer {
  const expiries = new Map<string, number>();
  const formatAuthorities = createAuthoritiesFormatter();
  const respond = (claims: AccessClaims, { refreshToken, onIssue }: IssueTokenOptions) => {
    onIssue?.(claims);
    expiries.set(claims.jti, claims.exp);
    const oldest = expiries.keys().next().value;
    if (expiries.size > maxTrackedTokens && oldest !== undefined) expiries.delete(oldest);
    return createTokenResponse(claims, options, refreshToken);
  };
  return {
    findExpiry: (tokenId) => expiries.get(tokenId),
    async issueForClient(client, tokenOptions = {}) {
      const roles = await resolveAuthenticatedClientRoles(options.store, client);
      const claims = {
        // First, as fields after a spread are slow with Node 20.
        authorities: formatAuthorities(roles),
        ...createCommonClaims(client, options, options.clientTokenLifetime, tokenOptions),
        ...createOwnerClaims(client),
      };
      return respond(claims, tokenOptions);
    },
    async issueForUser(user, session, client, tokenOptions = {}) {
      const claims = await createUserClaims(user, session, client, {
        options,
        common: createCommonClaims(client, options, sessionLifetime(session, options), { ...tokenOptions, session }),
      });
      return respond(claims, tokenOptions);
    },
    async issueForLogon(logon, session, client, tokenOptions = {}) {
      const common = createCommonClaims(client, options, sessionLifetime(session, options), {
        ...tokenOptions,
        session,
      });
      const roles = [...rolesOfLevel(computeLevel(session, common.iat)), 'CLI-AUTH-IDENTIFIED', partyRole(client)];
      return respond(
        { ...common, sub: `${logonSubjectPrefix}${logon}`, logon, authorities: toAuthorities(roles) },
        tokenOptions,
      );
    },
    secondsLeft: ({ expiresIn }) =>
      Number(expiresIn) - (options.expiresIn === 'epoch' ? epochSeconds(options.clock) : 0),
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
    accessToken: await options.keys.current().signToken(claims),
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
