/** The context of a handler besides the request. Handlers have no access to Koa, the file system or the system time. */
import type * as z from 'zod';
import { createOperationDefiner } from '../../contract/operation.ts';
import type { Clock } from '../clock.ts';
import type { RequestSource } from '../http/request-source.ts';
import type { Authentication } from '../identity/authenticate.ts';
import type { RequestCredentials } from '../identity/credentials.ts';
import type { HashFlow } from '../identity/hash-queue.ts';
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
  /** The queue flow that password hashes of the request count in. */
  readonly hashFlow: HashFlow;
  /** The authenticated caller. Reading it on an operation with auth `none` is a bug and throws. */
  readonly caller: Principal;
  /** The source of the request, by which throttles and budgets count. */
  readonly source: RequestSource;
  /** The source of a request whose client authenticated in the body, as at the token endpoints. */
  sourceBehindClient(client: Client): RequestSource;
  /** The credentials of the request, for login operations. @throws IamError if they are malformed. */
  credentials(): RequestCredentials;
  readonly authentication: Authentication;
  /** Aborts when the client disconnects or the response is sent. */
  disconnectSignal(): AbortSignal;
  /** Records the subject of a login in the log. */
  recordLogin(subject: string): void;
  /** Marks the request as authenticated, so limits for unauthenticated callers do not apply. */
  markAuthenticated(): void;
  /** The validated cursor and limit of the request; `after` is a key. For operations that return a page. */
  readonly range: { readonly after?: string | undefined; readonly limit: number };
  /** @throws IamError CHANGED_MEANWHILE if the If-Match header does not match this representation of the entity. */
  assertMatch(schema: z.ZodType, current: object): void;
}

export const defineOperation = createOperationDefiner<OperationContext>();
