/**
 * The request pipeline: authenticate, authorize, validate path, query and body, handle, validate and write the response.
 * Compiled once per operation from its declaration. The interface defines the order, so that a rejected request reveals
 * nothing.
 */

import { errorTable } from '../contract/error-codes.ts';
import { apiError, IamError } from '../contract/errors.ts';
import { hasGrowthLimit } from '../contract/growth-limit.ts';
import type { Operation } from '../contract/operation.ts';
import { isAllowed } from '../contract/roles.ts';
import type { AppContext } from './app-context.ts';
import { recordAuditEvent } from './audit/record.ts';
import { createTargetReader, hasTargetsInResult } from './audit/targets.ts';
import { authenticate } from './auth/authenticate.ts';
import { authorizationError } from './auth/authorize.ts';
import { type RequestCredentials, readCredentials } from './auth/credentials.ts';
import { limitGrowth } from './auth/growth-limit.ts';
import { findAuthenticatedClientId, type Principal } from './directory/principal.ts';
import { applyFaultAfter, applyFaultBefore, throwPreferredError } from './fault-injection/apply-faults.middleware.ts';
import type { FaultInjector } from './fault-injection/fault-injector.ts';
import { countHeader } from './http/headers.ts';
import { type ListIdentity, parseCursor } from './http/pagination.ts';
import { createPathParamsReader } from './http/paths.ts';
import { hasNoBody, readFormOrJson, readJson } from './http/request-body.ts';
import type { KoaContext } from './http/request-state.ts';
import {
  createHeaderReader,
  createQueryReader,
  validateBody,
  validateBodyAsync,
  validateParams,
} from './http/request-validation.ts';
import type { Route } from './http/router.ts';
import { matchesEtag } from './http/serializer.ts';
import { sourceBehindClient } from './lib/request-source.ts';
import listGroups from './operations/groups/list.ts';
import { type ControlContext, createRequestContext, type RequestPart } from './request-context.ts';
import { createResponseWriter } from './response-writer.ts';
import { createAuthenticationError } from './tokens/authentication-error.ts';
import { recordIssuedTokens } from './tokens/token-subject.ts';
import { guardAccounts } from './users/account-guard.ts';
import { toFlowKey } from './users/hash-queue.ts';

export type AnyOperation = Operation<ControlContext>;

/** A compiled operation: writes the response to `ctx`, or throws the error to return. */
export type OperationHandler = (ctx: KoaContext, search: URLSearchParams) => Promise<void>;

/** An operation or a route of the control plane, compiled, at its whole path. */
export interface MountedRoute extends Route {
  readonly operation: AnyOperation;
  readonly handle: OperationHandler;
  /** Whether it is a page that other sites may link to. */
  readonly isPage?: boolean;
}

const defaultLimit = 100;

export interface CompileOptions {
  /** Injected faults. Not for the control plane, where they could prevent their own removal. */
  readonly faults?: FaultInjector | undefined;
  /** Whether the growth limit applies to unauthenticated callers. Revocation is exempt: a limit would keep tokens valid. */
  readonly limitGrowth?: boolean;
  readonly guardAccounts?: boolean;
  /** Rejects authorized callers before the body is read. */
  readonly rejection?: 'STORE_SHARED' | undefined;
  /** For the control plane: see its context. */
  readonly controlDocument?: ControlContext['controlDocument'];
}

export function compileOperation(
  operation: AnyOperation,
  appContext: AppContext,
  options: CompileOptions = {},
): OperationHandler {
  const { faults } = options;
  const isGuarded = options.guardAccounts === true && operation.method !== 'GET';
  const limitsGrowth = options.limitGrowth === true && hasGrowthLimit(operation);
  const readParameters = createPathParamsReader(operation.path);
  const lenient = !operation.statuses.includes(400);
  const readQuery = createQueryReader(operation.request.query ?? {}, {
    lenient,
    rejectUnknown: operation.request.strictQuery,
  });
  const readHeaders = createHeaderReader(operation.request.headers ?? {}, lenient);
  const write = createResponseWriter(operation, appContext);
  const absentCaller = createAbsentCaller(operation);
  const readTargets = createTargetReader(operation);
  const auditsResult = hasTargetsInResult(operation);
  const auditedStatus = findAuditedStatus(operation);

  async function authenticateCaller(
    ctx: KoaContext,
    credentials: RequestCredentials | undefined,
  ): Promise<Principal | undefined> {
    const requiresAuthentication = credentials !== undefined && !operation.request.clientInBody;
    const caller = requiresAuthentication
      ? await authenticate(appContext, credentials, { auth: operation.auth, source: ctx.state.source })
      : undefined;
    // Set also for rejected callers, for logs and the audit.
    ctx.state.caller = caller;
    if (!isAllowed(operation.roles, caller))
      throw await authorizationError(operation.roles, caller, {
        store: appContext.store,
        groupReaders: listGroups.roles,
      });
    return caller;
  }

  return async (ctx, search) => {
    ctx.state.readTargets = readTargets;
    const disconnectSignal = () => appContext.disconnectSignals(ctx.res);
    const ip = ctx.req.headers.ip?.toString();
    if (faults && ctx.req.headers.prefer !== undefined) throwPreferredError(ctx, faults, operation);
    // Operations without authentication ignore credentials, also invalid ones.
    const credentials = operation.auth === 'none' ? undefined : readRequestCredentials(ctx, search, operation);
    let caller = await authenticateCaller(ctx, credentials);
    if (options.rejection !== undefined) throw apiError(options.rejection);
    const appliedFaults = faults?.matchOperation(operation, caller);
    if (faults && appliedFaults && (await applyFaultBefore(ctx, faults, appliedFaults, disconnectSignal)))
      caller = await authenticateCaller(ctx, credentials);
    const params = validateParams(operation.request.params ?? {}, readParameters(ctx.state.path));
    const query = readQuery(search, ctx.state.query);
    const headers = readHeaders(ctx.req.headers);
    const body =
      operation.request.body && (await readBody(ctx, operation, { limit: appContext.settings.bodyLimit, credentials }));
    const list: ListIdentity = { operationId: operation.id, params, query };
    const clientId = findAuthenticatedClientId(caller);
    // Accept the `ip` header from authenticated clients only: other callers could forge it.
    const source = clientId === undefined ? ctx.state.source : sourceBehindClient(ctx.state.source, clientId, ip);
    const limitedRequest = limitsGrowth ? limitGrowth(appContext, operation, { caller, source }) : undefined;
    const store = limitedRequest?.store ?? appContext.store;
    const ifMatch = ctx.req.headers['if-match'] ?? '';
    const context = createRequestContext(appContext, {
      controlDocument: options.controlDocument,
      store: isGuarded ? guardAccounts(store, caller ?? absentCaller, appContext) : store,
      issuer: appContext.audit
        ? recordIssuedTokens(appContext.issuer, (issued) => {
            ctx.state.issued = issued;
          })
        : appContext.issuer,
      credentials: () => credentials ?? readRequestCredentials(ctx, search, operation),
      authentication: appContext,
      caller: caller ?? absentCaller,
      source,
      sourceBehindClient: (client) => sourceBehindClient(ctx.state.source, client.clientId, ip),
      hashFlow: { flow: toFlowKey(source, clientId), disconnectSignal },
      range: 'page' in operation.response ? readRange(list, operation) : { limit: defaultLimit },
      disconnectSignal,
      markAuthenticated: () => limitedRequest?.exempt(),
      recordLogin: (subject) => {
        ctx.state.loggedIn = subject;
      },
      recordCaller: (authenticated) => {
        ctx.state.caller = authenticated;
      },
      assertMatch: (schema, current) => {
        if (ifMatch !== '' && !matchesEtag(ifMatch, appContext.serializers(schema).computeEtag(current)))
          throw apiError('CHANGED_MEANWHILE');
      },
    });
    const input = { params, query, headers, body: body as undefined, accept: ctx.req.headers.accept ?? '' };
    const handled = operation.handle(input, context);
    const result = await (limitedRequest ? handled.finally(() => limitedRequest.end()) : handled);
    if (auditsResult) ctx.state.result = result;
    if (appliedFaults) await applyFaultAfter(appliedFaults, appContext.keys);
    // Before the response: after a kill, each acknowledged change has its line.
    const recorded = auditedStatus === undefined ? undefined : recordAuditEvent(ctx.state, auditedStatus, appContext);
    if (recorded) await recorded;
    const pendingWrite = write(ctx, result, list);
    if (pendingWrite) await pendingWrite;
  };
}

/** The status of a success whose event is recorded; undefined for reads. */
function findAuditedStatus({ audit, response }: AnyOperation): number | undefined {
  return audit.kind !== 'read' && 'status' in response ? response.status : undefined;
}

interface ReadBodyOptions {
  readonly limit: number;
  readonly credentials: RequestCredentials | undefined;
}

async function readBody(
  ctx: KoaContext,
  { request }: AnyOperation,
  { limit, credentials }: ReadBodyOptions,
): Promise<unknown> {
  if (!request.body) return undefined;
  const isLongBody = request.bodyLimit !== undefined;
  const maxBytes = request.bodyLimit ?? limit;
  try {
    // A missing body equals an empty one if no field is required.
    if (!request.form && hasNoBody(ctx.req) && request.body.safeParse({}).success) return request.body.parse({});
    const body = await (request.form ? readFormOrJson(ctx.req, maxBytes) : readJson(ctx.req, maxBytes, isLongBody));
    ctx.state.body = body;
    // Only if needed: most operations are faster without the promise of each nested schema.
    return request.bodyChecks === 'async'
      ? await validateBodyAsync(request.body, body)
      : validateBody(request.body, body);
  } catch (error) {
    // With Basic authentication of the user the body is ignored, except for its size.
    const isIgnorable =
      credentials?.userBasicAuth !== undefined && error instanceof IamError && error.code !== 'BODY_TOO_LARGE';
    if (isIgnorable) return undefined;
    if (request.malformedBody === undefined || !isMalformed(error)) throw error;
    ctx.state.hasMalformedCredentials = true;
    throw createAuthenticationError(request.malformedBody);
  }
}

/** Whether the error is a validation error, not one of HTTP such as a body that is too large. */
function isMalformed(error: unknown): boolean {
  return error instanceof IamError && [400, 422].includes(errorTable[error.code].status);
}

function readRequestCredentials(ctx: KoaContext, search: URLSearchParams, operation: AnyOperation): RequestCredentials {
  const { authorization, 'x-api-key': apiKey } = ctx.req.headers;
  return readCredentials(
    {
      authorization: assertNotRepeated(ctx, 'authorization') ?? authorization,
      apiKey: assertNotRepeated(ctx, 'x-api-key') ?? apiKey,
      clientIds: operation.auth === 'client-id' ? search.getAll('clientId') : [],
    },
    { userBasicAuth: operation.request.userBasicAuth === true },
  );
}

/** Rejects a repeated header: Node keeps the first Authorization and joins other headers. */
function assertNotRepeated(ctx: KoaContext, name: string): undefined {
  if (countHeader(ctx.req, name) > 1)
    throw apiError('CREDENTIALS_AMBIGUOUS', `The request contains more than one ${name} header.`);
  return undefined;
}

/** The caller of an unauthenticated request: any access is a bug. */
function createAbsentCaller({ id }: AnyOperation): Principal {
  return new Proxy({} as Principal, {
    get() {
      throw new Error(`${id} reads the caller, but accepts unauthenticated requests`);
    },
  });
}

function readRange(list: ListIdentity, operation: AnyOperation): RequestPart['range'] {
  const { limit, after } = list.query as { limit?: number; after?: string };
  const range = { limit: limit ?? defaultLimit };
  if (after === undefined) return range;
  try {
    return { ...range, after: parseCursor(after, list) };
  } catch (error) {
    if (operation.statuses.includes(400)) throw error;
    return range;
  }
}
