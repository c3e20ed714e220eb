/** Who calls, as the rest of the server sees it. */
import type { Granted } from '../../contract/roles.ts';
import type { Client, Session, User } from '../store/tables.ts';

/** How the call presented itself. */
export type Way = 'client-id' | 'basic' | 'api-key' | 'bearer';

/** A client, or a client on behalf of a user; merely named (`way` client-id) or proven. Roles are those that count for this call. */
export interface Principal extends Granted {
  readonly way: Way;
  readonly client: Client;
  /** The user on whose behalf the client calls, and the session it calls in. */
  readonly user?: User;
  readonly session?: Session;
  /** What a later write must not exceed and a log may name: the `sub` of the caller. */
  readonly subject: string;
}

/** The name of the caller in logs; never a secret. */
export function nameOf(principal: Principal | undefined): string {
  return principal?.subject ?? 'nobody';
}
