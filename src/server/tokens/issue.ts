/** Issues access tokens. */
import { CompactSign } from 'jose';
import { type Clock, epochSeconds } from '../clock.ts';
import { partyRole, rolesOfProvenClient } from '../identity/clients.ts';
import { levelOf } from '../identity/sessions.ts';
import { logonSubjectPrefix } from '../identity/subjects.ts';
import { rolesOfLevel, rolesOfUser } from '../identity/users.ts';
import type { Randomness } from '../randomness.ts';
import type { Store } from '../store/store.ts';
import type { Client, Session, User } from '../store/tables.ts';
import { type AccessClaims, accessTokenType, asAuthorities } from './claims.ts';
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
  forClient(client: Client, more?: Narrowed): Promise<TokenResponse>;
  /** A token for a user in a session: the user's level and roles, and of the client its party and scope. */
  forUser(user: User, session: Session, client: Client, more?: Narrowed): Promise<TokenResponse>;
  /** A token for a mainframe logon that is bound to no user. */
  forLogon(logon: string, session: Session, client: Client, more?: Narrowed): Promise<TokenResponse>;
  /** The seconds that an issued token has left, however expiresIn tells them. */
  secondsLeft(token: TokenResponse): number;
  /** When the access token of this id ends, in epoch seconds; of the last tokens that were issued, and no others. */
  endOf(tokenId: string): number | undefined;
}

/** So many are remembered. */
const tokensRemembered = 10_000;

/** What may go with a token, or narrow it. */
export interface Narrowed {
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
  readonly randomness: Randomness;
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
  const ends = new Map<string, number>();
  const respond = (claims: AccessClaims, { refreshToken }: Narrowed) => {
    ends.set(claims.jti, claims.exp);
    const oldest = ends.keys().next().value;
    if (ends.size > tokensRemembered && oldest !== undefined) ends.delete(oldest);
    return responseOf(claims, options, refreshToken);
  };
  return {
    endOf: (tokenId) => ends.get(tokenId),
    async forClient(client, more = {}) {
      const roles = await rolesOfProvenClient(options.store, client);
      const claims = {
        ...commonClaims(client, options, options.clientTokenLifetime, more),
        ...ownerClaims(client),
        authorities: authoritiesOfClient(roles),
      };
      return respond(claims, more);
    },
    async forUser(user, session, client, more = {}) {
      const claims = await userClaims(user, session, client, {
        options,
        common: commonClaims(client, options, sessionLifetime(session, options), { ...more, session }),
      });
      return respond(claims, more);
    },
    async forLogon(logon, session, client, more = {}) {
      const common = commonClaims(client, options, sessionLifetime(session, options), { ...more, session });
      const roles = [...rolesOfLevel(levelOf(session, common.iat)), 'CLI-AUTH-IDENTIFIED', partyRole(client)];
      return respond(
        { ...common, sub: `${logonSubjectPrefix}${logon}`, logon, authorities: asAuthorities(roles) },
        more,
      );
    },
    secondsLeft: ({ expiresIn }) =>
      Number(expiresIn) - (options.expiresIn === 'epoch' ? epochSeconds(options.clock) : 0),
  };
}

function sessionLifetime({ remember }: Session, options: IssuerOptions): number {
  return remember ? options.rememberedTokenLifetime : options.userTokenLifetime;
}

async function responseOf(
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
function commonClaims(
  client: Client,
  options: IssuerOptions,
  lifetime: number,
  { session, scope }: Narrowed,
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
    jti: options.randomness.uuid(),
    scope: client.scope.filter((name) => (session?.scope ?? scope ?? client.scope).includes(name)),
    client_id: client.clientId,
    app_id: client.appId,
    stand_in: true,
    ...(session === undefined ? {} : { sid: session.sessionId }),
  };
}

/** Of a client with no groups the roles are the same set each time. */
const authoritiesOfRoles = new WeakMap<ReadonlySet<string>, string[]>();

function authoritiesOfClient(roles: ReadonlySet<string>): string[] {
  const known = authoritiesOfRoles.get(roles);
  if (known) return known;
  const authorities = asAuthorities(roles);
  authoritiesOfRoles.set(roles, authorities);
  return authorities;
}

/** Of rows, which do not change in place. */
const ownerClaimsOfRow = new WeakMap<Client, Partial<AccessClaims>>();

/** What a client's own token says besides. */
function ownerClaims(client: Client): Partial<AccessClaims> {
  const known = ownerClaimsOfRow.get(client);
  if (known) return known;
  const claims = {
    ...(client.businessId === undefined ? {} : { business_id: client.businessId }),
    ...(client.serviceAccountId === undefined ? {} : { service_id: client.serviceAccountId }),
    ...(client.organizationId === undefined ? {} : { organization_id: client.organizationId }),
    ...(client.businessUnitId === undefined ? {} : { business_unit_id: client.businessUnitId }),
  };
  ownerClaimsOfRow.set(client, claims);
  return claims;
}

interface UserTokenParts {
  readonly options: IssuerOptions;
  readonly common: CommonClaims;
}

/** What a user's token says; of the client's authorities only that it is named, and its party. */
async function userClaims(
  user: User,
  session: Session,
  client: Client,
  { options, common }: UserTokenParts,
): Promise<AccessClaims> {
  const roles = await rolesOfUser(options.store, user, levelOf(session, common.iat));
  const customer =
    (await options.store.customers.getBy('userId', user.userId)) ??
    (user.businessId === undefined ? undefined : await options.store.customers.getBy('businessId', user.businessId));
  const smart = session.smart ? ['AUTH-SMART'] : [];
  return {
    ...common,
    sub: user.userId,
    user_id: user.userId,
    ...(session.logon === undefined ? {} : { logon: session.logon }),
    authorities: asAuthorities([...roles, ...smart, 'CLI-AUTH-IDENTIFIED', partyRole(client)]),
    ...(await businessClaims(user, options.store)),
    ...(customer === undefined ? {} : { customer_id: customer.customerId }),
  };
}

/** The user's business, and what that belongs to. */
async function businessClaims(user: User, store: Store): Promise<Partial<AccessClaims>> {
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
