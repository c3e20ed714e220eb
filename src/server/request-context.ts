/**
 * The context of a handler besides the request: the services of the app context, and the part of the request. Handlers
 * have no access to Koa, the file system or the system time.
 */
import type { FaultAuthorization } from '../contract/testing/fault-effects.ts';
import type { AppContext } from './app-context.ts';
import type { Authentication } from './auth/authenticate.ts';
import type { RequestCredentials } from './auth/credentials.ts';
import type { Principal } from './directory/principal.ts';
import type { CertificateChain } from './federation/certificate-login.ts';
import type { Conditions } from './http/conditions.ts';
import type { LoggedInSubject } from './http/request-state.ts';
import type { AdjustableClock } from './lib/adjustable-clock.ts';
import type { Clock } from './lib/clock.ts';
import { derive } from './lib/derive.ts';
import type { RequestSource } from './lib/request-source.ts';
import type { HashFlow } from './limits/hash-queue.ts';
import type { Observability } from './observability/observability.ts';
import type { Store } from './store/store.ts';
import type { Client } from './store/tables.ts';
import type { TokenIssuer } from './tokens/issue.ts';

export interface RequestPart extends Conditions {
  /** The store; for operations with limits or guards, wrapped for this request. */
  readonly store: Store;
  /** The issuer; it records the subjects of tokens that the request issues. */
  readonly issuer: TokenIssuer;
  /** The flow that password hashes of the request count in. */
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
  /** The certificate with which a browser authenticated in TLS, not verified; undefined unless the settings trust where it comes from. */
  clientCertificate(): CertificateChain | undefined;
  /** For pages with `checksFrames`. @throws IamError AUTHORIZATION_INVALID if a page of another origin has it in a frame. */
  assertNotFramed(): void;
  /** Aborts when the client disconnects or the response is sent. */
  disconnectSignal(): AbortSignal;
  recordLogin(subject: LoggedInSubject): void;
  /** Records the caller for logs and the audit, if the handler authenticates it. */
  recordCaller(caller: Principal): void;
  /** What an injected fault changes in the response at the redirect URI. Counts the match. */
  takeAuthorizationFault(): FaultAuthorization | undefined;
  /** Records the login that the request is a step of, for the request log. */
  recordFlow(flow: string): void;
  /** Sets the client that authenticated in the body: what the request creates counts for its owner. */
  markAuthenticated(client: Client): void;
  /** The validated cursor and limit of the request; `after` is a key. For operations that return a page. */
  readonly range: { readonly after?: string | undefined; readonly limit: number };
}

/** The context of operations. What an operation may use of the app context is listed here. */
export interface OperationContext
  extends RequestPart,
    Pick<
      AppContext,
      | 'storeSecret'
      | 'settings'
      | 'disableRateLimits'
      | 'growthLimits'
      | 'sandbox'
      | 'baseUrl'
      | 'issuerUrl'
      | 'ids'
      | 'random'
      | 'keys'
      | 'passwords'
      | 'outbox'
      | 'mainframe'
      | 'productSystem'
      | 'providers'
    > {
  /** Read-only: only the control plane adjusts the clock. */
  readonly clock: Clock;
}

/** The context of routes of the control plane, which use more. */
export interface ControlContext
  extends OperationContext,
    Pick<AppContext, 'audit' | 'auditTrail' | 'timer' | 'state' | 'sandboxes' | 'docsPageFiles' | 'isTenant'> {
  readonly clock: AdjustableClock;
  /** Always present when the control plane is enabled. */
  readonly observability: Observability;
  /** Returns the API document of the control plane. Built on the first call, then cached. */
  controlDocument(): object;
}

/** Creates the context of one request: its part, and services that it inherits from the app context. */
export function createRequestContext(
  appContext: AppContext,
  request: RequestPart & { readonly controlDocument: ControlContext['controlDocument'] | undefined },
): ControlContext {
  return derive(appContext, request) as ControlContext;
}
