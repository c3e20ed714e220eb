/** What a handler is given besides the call itself. Nothing else reaches it: no Koa, no file system, no ambient time. */
import type * as z from 'zod';
import { createOperationDefiner } from '../../contract/operation.ts';
import type { Clock } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Authentication } from '../identity/authenticate.ts';
import type { RequestCredentials } from '../identity/credentials.ts';
import type { HashLane } from '../identity/hash-queue.ts';
import type { Passwords } from '../identity/passwords.ts';
import type { Principal } from '../identity/principal.ts';
import type { StoreSecret } from '../identity/store-secret.ts';
import type { Ids } from '../ids.ts';
import type { Integrations } from '../integrations/integrations.ts';
import type { Random } from '../random.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/store.ts';
import type { Client } from '../store/tables.ts';
import type { TokenIssuer } from '../tokens/issue.ts';
import type { KeyRing } from '../tokens/keys.ts';

export interface OperationContext extends Integrations {
  readonly store: Store;
  readonly storeSecret: StoreSecret;
  readonly settings: Settings;
  readonly disableRateLimits: boolean;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly keys: KeyRing;
  readonly issuer: TokenIssuer;
  readonly passwords: Passwords;
  /** On whose behalf the call has passwords hashed. */
  readonly hashLane: HashLane;
  /** Who calls. On an operation with auth `none` there is nobody, and asking is a fault of the program. */
  readonly caller: Principal;
  /** Where the call comes from: what throttles and budgets count by. */
  readonly source: RequestSource;
  /** The same behind a client that authenticated within the call, as at the token endpoints. */
  sourceBehindClient(client: Client): RequestSource;
  /** How the call presented itself, for the operations that log somebody in. @throws IamError where that is no way. */
  credentials(): RequestCredentials;
  readonly authentication: Authentication;
  /** Given once the caller has gone, or was answered: whoever waited for him need not go on. */
  disconnectSignal(): AbortSignal;
  /** Tells the log whose login the call was. */
  recordLogin(subject: string): void;
  /** Tells that the client has authenticated within the call: limits for callers that did not are none of its own. */
  markAuthenticated(): void;
  /** The call's cursor and limit, checked; `after` is a key. For operations that answer a page. */
  readonly range: { readonly after?: string | undefined; readonly limit: number };
  /** @throws IamError CHANGED_MEANWHILE where the call's If-Match does not name this representation of the entity. */
  assertMatch(schema: z.ZodType, current: object): void;
}

export const defineOperation = createOperationDefiner<OperationContext>();
