/** The state of one request: what the steps of the app know of it, for the response, the logs and the audit. */
import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { TargetReader } from '../../contract/audit.ts';
import type { ErrorItem, ErrorReason } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import type { FaultBody } from '../../contract/testing/fault-effects.ts';
import type { Principal } from '../directory/principal.ts';
import type { CertificateChain } from '../federation/certificate-login.ts';
import type { RequestSource } from '../lib/request-source.ts';
import type { CommittedChanges } from '../store/observe-commits.ts';
import type { IssuedToken } from '../tokens/token-subject.ts';

/** The client or user that logged in. */
export type LoggedInSubject = Pick<ErrorReason, 'clientId' | 'userId'>;

/** Set when the request arrives; each optional field is set by the step that learns it. */
export interface RequestState {
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Without the query. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly source: RequestSource;
  /** See `OperationContext`. */
  clientCertificate(): CertificateChain | undefined;
  /** By the stopwatch, in milliseconds; undefined if nothing is measured. */
  readonly startedAt: number | undefined;
  /** Whether the web console sent the request. */
  readonly isFromConsole?: boolean;
  /** Collected until the response is written. */
  readonly responseHeaders: Record<string, string>;
  operation?: Operation<never>;
  /** The authenticated caller; set also if it is not authorized. */
  caller?: Principal | undefined;
  /** The parsed body, before validation. */
  body?: unknown;
  /** The result of the handler, if the operation declares audit targets in it. */
  result?: unknown;
  targetReader?: TargetReader;
  /** What the committed transactions of the request changed. */
  commits?: CommittedChanges[];
  loggedIn?: LoggedInSubject;
  issued?: IssuedToken;
  /** The login that the request is a step of. */
  flow?: string;
  errors?: readonly ErrorItem[];
  thrown?: unknown;
  /** The text or bytes of the response. */
  responseBody?: string | Uint8Array;
  /** The injected fault, and what it does with the body of the response. */
  fault?: string;
  bodyFault?: FaultBody;
  isAudited?: boolean;
  /** Whether a sandbox has served and recorded the request. */
  servedBySandbox?: boolean;
  /**
   * Whether the body should contain credentials but is malformed. The error is about the credentials; soft errors treat it
   * as the 400 it otherwise would be.
   */
  hasMalformedCredentials?: boolean;
  /** Whether the connection was closed without a response. */
  dropped?: boolean;
}

/**
 * What the steps of the app use of Koa's context: each writes its response itself. Without the rest, as the bundle has few of
 * the media types that `type` and `is` look up.
 */
export type KoaContext = Pick<Koa.ParameterizedContext<RequestState>, 'req' | 'res' | 'state'>;

/** A step of the app: responds, or calls `next`. */
export type Middleware = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<unknown> | unknown;
