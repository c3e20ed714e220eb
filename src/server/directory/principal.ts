/** The caller of a request. */
import { apiError } from '../../contract/errors.ts';
import { type CallerAuthorities, isReservedRole } from '../../contract/roles.ts';
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import type { Client, Session, User } from '../store/tables.ts';

export type AuthenticationMethod = 'client-id' | 'basic' | 'api-key' | 'bearer';

/** What a token can have less of than its session, by the names of the claims. */
export const narrowings = ['scope', 'aud'] as const;

type Narrowing = (typeof narrowings)[number];

/** A session as a token says it. */
export type GrantedSession = Session & { readonly narrowed?: readonly Narrowing[] };

/**
 * A client, or a client acting for a user; identified (authMethod client-id) or authenticated. Contains the roles that
 * apply to this request.
 */
export interface Principal extends CallerAuthorities {
  readonly authMethod: AuthenticationMethod;
  readonly client: Client;
  /** The user for whom the client acts, and the session. */
  readonly user?: User;
  readonly session?: Session;
  /** What its token has less of than the session. */
  readonly narrowed?: GrantedSession['narrowed'] | undefined;
  /** The audiences of its token, if they are fewer than those of the session. */
  readonly resources?: readonly string[] | undefined;
  /** The mainframe logon for which the client acts, if it is linked to no user. */
  readonly logon?: string;
  /** The `sub` of the caller. It identifies the caller in logs. */
  readonly subject: string;
}

/**
 * False for a token of less than its session, which the user gave to a service, and for those that such a token led to. They
 * change nothing that the user logs in with, and no session of a login.
 */
export function hasWholeToken({ narrowed = [], session }: Pick<Principal, 'narrowed' | 'session'>): boolean {
  return narrowed.length === 0 && session?.reduced !== true;
}

/** Whether the client acts for itself and not for a user or a logon; objects of the client then belong to the caller. */
export function isClientItself(caller: Principal): boolean {
  return caller.user === undefined && caller.logon === undefined;
}

/** The id of the client if it acts for itself and is authenticated. */
export function findAuthenticatedClientId(caller: Principal | undefined): string | undefined {
  return caller && caller.authMethod !== 'client-id' && isClientItself(caller) ? caller.client.clientId : undefined;
}

/** The sentence for messages to a client that lacks AUTH-MFA; users complete a second factor. */
export function explainMfaOfClients(caller: Principal): string {
  if (findAuthenticatedClientId(caller) === undefined) return '';
  return 'A client obtains AUTH-MFA by the line `authorities: [AUTH-MFA]` in a seed.';
}

/**
 * Whether anyone could be this caller: it is unauthenticated, a third-party client, which users create for themselves, or
 * a user or a logon without granted roles.
 */
export function isStranger(caller: Principal | undefined): boolean {
  if (!caller || caller.authMethod === 'client-id') return true;
  return isClientItself(caller) ? caller.client.party === '3RDPARTY' : [...caller.roles].every(isReservedRole);
}

/** Whether the client authenticated this request with its secret or an API key, and not with its id or a token only. */
export function hasClientCredential({ authMethod }: Principal): boolean {
  return authMethod === 'basic' || authMethod === 'api-key';
}

/** The user and the session of the caller. @throws IamError USER_MISSING. */
export function requireUserCaller(caller: Principal): { readonly user: User; readonly session: Session } {
  const { user, session } = caller;
  if (!user || !session) throw apiError('USER_MISSING');
  return { user, session };
}

/** Whether the caller proved a second factor; a request without a caller did not. */
export function hasMfa(caller: Principal | undefined): boolean {
  return caller?.roles.has('AUTH-MFA') === true;
}

/** The name of the caller in logs; never a secret. */
export function formatCallerName(principal: Principal | undefined): string {
  return principal?.subject ?? 'anonymous';
}

/** The caller of an operation that accepts unauthenticated requests: any access is a bug. */
export function createAbsentCaller(operationId: string): Principal {
  return new Proxy({} as Principal, {
    get() {
      throw new Error(`${operationId} reads the caller, but accepts unauthenticated requests`);
    },
  });
}

/** Whether an id or a name means the user or the client of a caller. User names are compared as at a login. */
export function isNamedBy({ client, user }: Principal, name: string): boolean {
  if ([client.clientId, client.serviceAccountId, client.appId, user?.userId].includes(name)) return true;
  return user !== undefined && foldIdentifier(user.userName) === foldIdentifier(name);
}
