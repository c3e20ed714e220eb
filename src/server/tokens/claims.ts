/** The claims of an access token (RFC 9068, and the claims of the service interface). */
import * as z from 'zod';
import { stripRolePrefix } from '../../contract/roles.ts';
import { computeLevel, rolesOfLevel } from '../directory/authentication-levels.ts';
import { partyRole } from '../directory/clients.ts';
import { narrowings } from '../directory/principal.ts';
import { logonSubjectPrefix } from '../directory/subject-ids.ts';
import { combineUserRoles, limitToConsent, tellsRoles } from '../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Client } from '../store/tables.ts';
import type { ClientContent, LogonContent, UserContent } from './content.ts';

/** `typ` of the header: prevents other kinds of JWT from being accepted as access tokens. */
export const accessTokenType = 'at+jwt';
/** That of ID tokens. */
export const idTokenType = 'JWT';

/** Maximum clock difference in seconds between processes that share a store. */
export const maxClockSkewSeconds = 60;

export const AccessClaims = z.object({
  iss: z.string(),
  /** One audience as text, several as a list (RFC 7519, 4.1.3). */
  aud: z.union([z.string(), z.array(z.string()).readonly()]),
  sub: z.string(),
  iat: z.number().int().nonnegative(),
  exp: z.number().int(),
  nbf: z.number().int().optional(),
  jti: z.uuid(),
  scope: z.array(z.string()),
  authorities: z.array(z.string()),
  client_id: z.string(),
  app_id: z.string(),
  /** So that no token is mistaken for one of the real service. */
  stand_in: z.literal(true),
  /** The generation of the client's tokens; absent for the first one. */
  generation: z.int().optional(),
  /** The session of the token; the token is valid only as long as the session. */
  sid: z.string().optional(),
  /** What the token has less of than its session: its client can lose the rest, and the token is then still no whole one. */
  narrowed: z.array(z.enum(narrowings)).readonly().optional(),
  user_id: z.string().optional(),
  business_id: z.string().optional(),
  customer_id: z.number().int().optional(),
  service_id: z.string().optional(),
  logon: z.string().optional(),
  organization_id: z.string().optional(),
  business_unit_id: z.string().optional(),
});

export type AccessClaims = z.infer<typeof AccessClaims>;

/** Role names as in the token: each with the prefix. */
export function toAuthorities(roles: Iterable<string>): string[] {
  return [...roles].map((role) => `ROLE_${role}`).sort();
}

/** Role names for comparison: without the prefix. */
export function parseAuthorities(claims: AccessClaims): string[] {
  return claims.authorities.map(stripRolePrefix);
}

/** Dependencies of the claims; `issuer` is the value of `iss`, and the audience of every token unless a request names others. */
export interface ClaimOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly issuer: string;
}

type CommonClaims = Omit<AccessClaims, 'authorities'>;

/** Claims of every token about its client. A token does not outlive its session. */
export function createCommonClaims(
  { client, session, scope, resources }: Pick<ClientContent, 'client' | 'session' | 'scope' | 'resources'>,
  options: ClaimOptions,
  lifetime: number,
): CommonClaims {
  const iat = epochSeconds(options.clock);
  const exp = Math.min(iat + lifetime, session?.endsAt ?? Number.POSITIVE_INFINITY);
  return {
    iss: options.issuer,
    aud: toAudience(client, session?.resources ?? resources, options.issuer),
    sub: client.clientId,
    iat,
    exp,
    jti: options.random.uuid(),
    scope: listScopes(client, session?.scope ?? scope ?? client.scope, session?.openid?.scopes),
    client_id: client.clientId,
    app_id: client.appId,
    stand_in: true,
    ...(client.tokenGeneration === undefined ? {} : { generation: client.tokenGeneration }),
    ...(session === undefined ? {} : { sid: session.sessionId }),
    ...(session?.narrowed === undefined ? {} : { narrowed: session.narrowed }),
  };
}

/** The scopes of OpenID Connect, if a browser login granted them, and those that the client still has. */
export function listScopes(client: Client, granted: readonly string[], openidScopes: readonly string[] = []): string[] {
  const own = client.scope.filter((name) => granted.includes(name) && !openidScopes.includes(name));
  return [...openidScopes, ...own];
}

/** What a client can request tokens for (RFC 8707). */
export function listAudiences(client: Pick<Client, 'audiences'>, issuer: string): readonly string[] {
  return client.audiences === undefined ? [issuer] : [issuer, ...client.audiences];
}

/**
 * The requested audiences that the client still has, or all: a token for others only is for no operation of this server
 * (RFC 9068, 4).
 */
function toAudience(
  client: Client,
  requested: readonly string[] | undefined,
  issuer: string,
): string | readonly string[] {
  if (client.audiences === undefined && requested === undefined) return issuer;
  const audiences = listAudiences(client, issuer).filter((name) => requested?.includes(name) ?? true);
  return audiences.length === 1 ? (audiences[0] as string) : audiences;
}

export function hasAudience({ aud }: Pick<AccessClaims, 'aud'>, audience: string): boolean {
  return typeof aud === 'string' ? aud === audience : aud.includes(audience);
}

/** Additional claims of a client's own token. */
export function createOwnerClaims(client: Client): Partial<CommonClaims> {
  return {
    ...(client.businessId === undefined ? {} : { business_id: client.businessId }),
    ...(client.serviceAccountId === undefined ? {} : { service_id: client.serviceAccountId }),
    ...(client.organizationId === undefined ? {} : { organization_id: client.organizationId }),
    ...(client.businessUnitId === undefined ? {} : { business_unit_id: client.businessUnitId }),
  };
}

/** Claims of a user's token; of the client's authorities it has only identification and party. */
export function createUserClaims(content: UserContent, common: CommonClaims): AccessClaims {
  const { user, session, client, groupRoles, claims } = content;
  const all = combineUserRoles(user, computeLevel(session, common.iat), groupRoles);
  const roles = limitToConsent(all, session);
  const smart = session.smart ? ['AUTH-SMART'] : [];
  return {
    ...common,
    sub: user.userId,
    user_id: user.userId,
    ...(session.logon === undefined ? {} : { logon: session.logon }),
    authorities: toAuthorities([...roles, ...smart, 'CLI-AUTH-IDENTIFIED', partyRole(client)]),
    ...(tellsRoles(session) ? claims : {}),
  };
}

/** Claims of the token of a mainframe logon that is linked to no user. */
export function createLogonClaims({ logon, session, client }: LogonContent, common: CommonClaims): AccessClaims {
  const roles = [...rolesOfLevel(computeLevel(session, common.iat)), 'CLI-AUTH-IDENTIFIED', partyRole(client)];
  return { ...common, sub: `${logonSubjectPrefix}${logon}`, logon, authorities: toAuthorities(roles) };
}
