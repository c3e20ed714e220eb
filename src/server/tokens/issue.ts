/** Issues access tokens. */
import { CompactSign } from 'jose';
import { type Clock, epochSeconds } from '../clock.ts';
import { partyRole, resolveAuthenticatedClientRoles } from '../identity/clients.ts';
import { computeLevel } from '../identity/sessions.ts';
import { logonSubjectPrefix } from '../identity/subject-ids.ts';
import { resolveUserRoles, rolesOfLevel } from '../identity/user-roles.ts';
import type { Random } from '../random.ts';
import type { Store } from '../store/store.ts';
import type { Client, Session, User } from '../store/tables.ts';
import { type AccessClaims, accessTokenType, toAuthorities } from './claims.ts';
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
  /** A token for a client that has proven itself: all that it may do now. */
  issueForClient(client: Client, tokenOptions?: IssueTokenOptions): Promise<TokenResponse>;
  /** A token for a user in a session: the user's level and roles, and of the client its party and scope. */
  issueForUser(user: User, session: Session, client: Client, tokenOptions?: IssueTokenOptions): Promise<TokenResponse>;
  /** A token for a mainframe logon that is bound to no user. */
  issueForLogon(
    logon: string,
    session: Session,
    client: Client,
    tokenOptions?: IssueTokenOptions,
  ): Promise<TokenResponse>;
  /** The seconds that an issued token has left, however expiresIn tells them. */
  secondsLeft(token: TokenResponse): number;
  /** When the access token of this id ends, in epoch seconds; of the last tokens that were issued, and no others. */
  findExpiry(tokenId: string): number | undefined;
}

/** So many are remembered. */
const maxTrackedTokens = 10_000;

/** What may go with a token, or narrow it. */
export interface IssueTokenOptions {
  readonly refreshToken?: string | undefined;
  /** The session of a client's refresh token, which the access token ends with. */
  readonly session?: Session | undefined;
  /** A part of the client's scope, for a token without a session. */
  readonly scope?: readonly string[] | undefined;
}

export interface IssuerOptions {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly random: Random;
  readonly issuer: string;
  /** Seconds that a client's token lives. */
  readonly clientTokenLifetime: number;
  /** Seconds that a user's token lives, and in a session that is remembered. */
  readonly userTokenLifetime: number;
  readonly rememberedTokenLifetime: number;
  /** How expiresIn is told: the remaining seconds, or the epoch second of expiry, as some deployments send it. */
  readonly expiresIn: 'seconds' | 'epoch';
}

export function createIssuer(options: IssuerOptions): TokenIssuer {
  const expiries = new Map<string, number>();
  const respond = (claims: AccessClaims, { refreshToken }: IssueTokenOptions) => {
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
        ...createCommonClaims(client, options, options.clientTokenLifetime, tokenOptions),
        ...createOwnerClaims(client),
        authorities: formatClientAuthorities(roles),
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
    accessToken: await sign(claims, options.keys),
    tokenType: 'Bearer',
    ...(refreshToken === undefined ? {} : { refreshToken }),
    expiresIn: String(options.expiresIn === 'epoch' ? claims.exp : claims.exp - claims.iat),
    scope: claims.scope,
  };
}

type CommonClaims = Omit<AccessClaims, 'authorities'>;

/** What every token says of its client. A token does not outlive its session. */
function createCommonClaims(
  client: Client,
  options: IssuerOptions,
  lifetime: number,
  { session, scope }: IssueTokenOptions,
): CommonClaims {
  // Within the second in which the secret was changed, the new tokens come after those that it ended.
  const iat = Math.max(epochSeconds(options.clock), client.tokensValidFrom ?? 0);
  const exp = Math.min(iat + lifetime, session?.endsAt ?? Number.POSITIVE_INFINITY);
  return {
    iss: options.issuer,
    aud: options.issuer,
    sub: client.clientId,
    iat,
    exp,
    jti: options.random.uuid(),
    scope: client.scope.filter((name) => (session?.scope ?? scope ?? client.scope).includes(name)),
    client_id: client.clientId,
    app_id: client.appId,
    stand_in: true,
    ...(session === undefined ? {} : { sid: session.sessionId }),
  };
}

/** Of a client with no groups the roles are the same set each time. */
const authoritiesByRoles = new WeakMap<ReadonlySet<string>, string[]>();

function formatClientAuthorities(roles: ReadonlySet<string>): string[] {
  const cached = authoritiesByRoles.get(roles);
  if (cached) return cached;
  const authorities = toAuthorities(roles);
  authoritiesByRoles.set(roles, authorities);
  return authorities;
}

/** Of rows, which do not change in place. */
const ownerClaimsByClient = new WeakMap<Client, Partial<AccessClaims>>();

/** What a client's own token says besides. */
function createOwnerClaims(client: Client): Partial<AccessClaims> {
  const cached = ownerClaimsByClient.get(client);
  if (cached) return cached;
  const claims = {
    ...(client.businessId === undefined ? {} : { business_id: client.businessId }),
    ...(client.serviceAccountId === undefined ? {} : { service_id: client.serviceAccountId }),
    ...(client.organizationId === undefined ? {} : { organization_id: client.organizationId }),
    ...(client.businessUnitId === undefined ? {} : { business_unit_id: client.businessUnitId }),
  };
  ownerClaimsByClient.set(client, claims);
  return claims;
}

interface UserTokenOptions {
  readonly options: IssuerOptions;
  readonly common: CommonClaims;
}

/** What a user's token says; of the client's authorities only that it is named, and its party. */
async function createUserClaims(
  user: User,
  session: Session,
  client: Client,
  { options, common }: UserTokenOptions,
): Promise<AccessClaims> {
  const roles = await resolveUserRoles(options.store, user, computeLevel(session, common.iat));
  const customer =
    (await options.store.customers.getBy('userId', user.userId)) ??
    (user.businessId === undefined ? undefined : await options.store.customers.getBy('businessId', user.businessId));
  const smart = session.smart ? ['AUTH-SMART'] : [];
  return {
    ...common,
    sub: user.userId,
    user_id: user.userId,
    ...(session.logon === undefined ? {} : { logon: session.logon }),
    authorities: toAuthorities([...roles, ...smart, 'CLI-AUTH-IDENTIFIED', partyRole(client)]),
    ...(await readBusinessClaims(user, options.store)),
    ...(customer === undefined ? {} : { customer_id: customer.customerId }),
  };
}

/** The user's business, and what that belongs to. */
async function readBusinessClaims(user: User, store: Store): Promise<Partial<AccessClaims>> {
  if (user.businessId === undefined) return {};
  const { organizationId, businessUnitId } = (await store.businesses.get(user.businessId)) ?? {};
  return {
    business_id: user.businessId,
    ...(organizationId === undefined ? {} : { organization_id: organizationId }),
    ...(businessUnitId === undefined ? {} : { business_unit_id: businessUnitId }),
  };
}

const utf8 = new TextEncoder();

/** A JWT (RFC 7519, 7.1). Its claims are made above, so that nothing is left for a builder of them to do. */
async function sign(claims: AccessClaims, keys: KeyRing): Promise<string> {
  const key = keys.current();
  return new CompactSign(utf8.encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: accessTokenType })
    .sign(key.privateKey);
}
