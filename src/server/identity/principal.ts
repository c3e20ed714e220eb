/** Who calls, as the rest of the server sees it. */
import { apiError } from '../../contract/errors.ts';
import { type CallerAuthorities, isReservedRole } from '../../contract/roles.ts';
import type { Client, Session, User } from '../store/tables.ts';

/** How the call presented itself. */
export type AuthenticationMethod = 'client-id' | 'basic' | 'api-key' | 'bearer';

/** A client, or a client on behalf of a user; merely named (`way` client-id) or proven. Roles are those that count for this call. */
export interface Principal extends CallerAuthorities {
  readonly authMethod: AuthenticationMethod;
  readonly client: Client;
  /** The user on whose behalf the client calls, and the session it calls in. */
  readonly user?: User;
  readonly session?: Session;
  /** The mainframe logon on whose behalf the client calls, where that is bound to no user. */
  readonly logon?: string;
  /** What a later write must not exceed and a log may name: the `sub` of the caller. */
  readonly subject: string;
}

/** Whether the client calls for itself, and not for a user or a logon: what is the client's is the caller's then. */
export function isClientItself(caller: Principal): boolean {
  return caller.user === undefined && caller.logon === undefined;
}

/** The id of the client where it calls for itself and has shown more than its name. */
export function findAuthenticatedClientId(caller: Principal | undefined): string | undefined {
  return caller && caller.authMethod !== 'client-id' && isClientItself(caller) ? caller.client.clientId : undefined;
}

/** Whether anyone may be this caller: it did not authenticate, or it is a user or a logon without a role of its own. */
export function isUnprivileged(caller: Principal | undefined): boolean {
  if (!caller || caller.authMethod === 'client-id') return true;
  return !isClientItself(caller) && [...caller.roles].every(isReservedRole);
}

/** Whether the client has shown its secret or a key with this very call, and not its name or a token only. */
export function hasClientCredential({ authMethod: way }: Principal): boolean {
  return way === 'basic' || way === 'api-key';
}

/** A caller who is a user, in its session. @throws IamError USER_MISSING. */
export function requireUserCaller(caller: Principal): { readonly user: User; readonly session: Session } {
  const { user, session } = caller;
  if (!user || !session) throw apiError('USER_MISSING');
  return { user, session };
}

/** The name of the caller in logs; never a secret. */
export function formatCallerName(principal: Principal | undefined): string {
  return principal?.subject ?? 'nobody';
}
