/** Records and counts each request. This is the hot path: nothing is parsed or redacted here. */
import type { Context } from 'koa';
import { type ErrorItem, IamError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { controlPrefix } from '../../contract/prefix.ts';
import type { Principal } from '../directory/principal.ts';
import type { Clock } from '../lib/clock.ts';
import type { Observability } from './observability.ts';
import type { CredentialKind } from './request-log.ts';

/** The state that the pipeline steps set on a request. */
interface RequestState {
  readonly path: string;
  readonly requestId: string;
  readonly startedAt: number;
  readonly operation?: Operation<never>;
  readonly caller?: Principal;
  readonly errors?: readonly ErrorItem[];
  readonly thrown?: unknown;
  readonly body?: unknown;
  readonly answer?: string;
  readonly fault?: string;
  readonly dropped?: boolean;
}

const belowControl = `${controlPrefix}/`;
const noErrors: readonly ErrorItem[] = [];
/** Paths that programs poll: recording them would evict everything else. */
const ignoredPaths = new Set(['/healthz', '/readyz', '/metrics', controlPrefix]);

/** Requests to the control plane are not recorded: otherwise reading the log would change it. */
export function recordRequest(ctx: Context, actor: string, observability: Observability, clock: Clock): void {
  const state = ctx.state as RequestState;
  const { path, operation, errors = noErrors, answer } = state;
  if (ignoredPaths.has(path) || path.startsWith(belowControl)) return;
  const duration = observability.stopwatch.now() - state.startedAt;
  const status = state.dropped ? undefined : ctx.res.statusCode;
  if (operation && status !== undefined) observability.coverage.count(operation, status, errors, duration);
  const { url = '' } = ctx.req;
  observability.requestLog.add({
    sequence: 0,
    requestId: state.requestId,
    at: clock.now().getTime(),
    duration,
    method: ctx.req.method ?? '',
    path,
    search: url.length === path.length ? '' : url.slice(path.length + 1),
    operation,
    caller: state.caller,
    actor,
    status,
    errors,
    body: state.body,
    bodyLength: state.body === undefined ? 0 : measureBody(state.body, ctx),
    response: answer,
    responseLength: answer?.length ?? 0,
    fault: state.fault,
    credential: errors === noErrors ? undefined : detectCredential(ctx, operation),
    reason: state.thrown instanceof IamError ? state.thrown.readReason() : undefined,
  });
}

/** The Content-Length, or for a chunked body the length of its JSON. */
function measureBody(body: unknown, { req }: Context): number {
  return Number(req.headers['content-length']) || JSON.stringify(body).length;
}

/** The authentication method of a rejected request; never its credentials. */
function detectCredential({ req, state }: Context, operation: Operation<never> | undefined): CredentialKind {
  const { authorization, 'x-api-key': apiKey } = req.headers;
  if (authorization !== undefined) {
    const [scheme = ''] = authorization.trim().toLowerCase().split(' ');
    return scheme === 'basic' || scheme === 'bearer' ? scheme : 'other';
  }
  if (apiKey !== undefined) return 'api-key';
  if (operation?.request.clientInBody) return 'body';
  return operation?.auth === 'client-id' && /(^|&)clientId=/.test(state.query) ? 'client-id' : 'none';
}
