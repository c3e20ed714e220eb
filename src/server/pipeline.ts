/**
 * The request pipeline: a list of steps, compiled for each operation from its declaration at its first request. The
 * interface defines their order, so that a rejected request reveals nothing.
 */
import { createHostAssertion } from '../contract/email/single-label-hosts.ts';
import { apiError } from '../contract/errors.ts';
import { hasGrowthLimit } from '../contract/growth-limit.ts';
import type { Operation } from '../contract/operation.ts';
import { isAllowed, type RoleExpression } from '../contract/roles.ts';
import type { AppContext } from './app-context.ts';
import { recordAuditEvent } from './audit/record.ts';
import { createTargetReader, hasTargetsInResult } from './audit/targets.ts';
import { authenticate } from './auth/authenticate.ts';
import { authorizationError } from './auth/authorize.ts';
import type { RequestCredentials } from './auth/credentials.ts';
import { limitCreations } from './auth/limit-creations.ts';
import { hasTestFeatures } from './config/settings.ts';
import { createAbsentCaller, findAuthenticatedClientId, hasWholeToken, type Principal } from './directory/principal.ts';
import {
  applyAuthorizationFault,
  applyFaultAfter,
  applyFaultBefore,
  throwPreferredError,
} from './fault-injection/apply-faults.ts';
import type { FaultInjector, InjectedFault } from './fault-injection/fault-injector.ts';
import { createConditions } from './http/conditions.ts';
import { assertNotFramed, createPageAssertion, createPreflightAssertion } from './http/cors.ts';
import { type ListIdentity, parseCursor } from './http/pagination.ts';
import { createPathParamsReader } from './http/paths.ts';
import { bufferBody, readBody } from './http/read-body.ts';
import { readRequestCredentials } from './http/request-credentials.ts';
import type { KoaContext } from './http/request-state.ts';
import { createHeaderReader, createQueryReader, validateParams } from './http/request-validation.ts';
import type { Route } from './http/router.ts';
import { type RequestSource, sourceBehindClient } from './lib/request-source.ts';
import { toFlowKey } from './limits/hash-queue.ts';
import type { LimitedRequest } from './limits/limited-store.ts';
import type { ServiceStateQueue } from './limits/state-queue.ts';
import { isConsoleRead, issuerOfRequest } from './observability/console-requests.ts';
import { type ControlContext, createRequestContext, type RequestPart } from './request-context.ts';
import { createStoreFactory } from './request-store.ts';
import { createResponseWriter } from './response-writer.ts';
import type { CommittedChanges } from './store/observe-commits.ts';
import type { Client } from './store/tables.ts';
import { recordIssuedTokens } from './tokens/token-subject.ts';

export type AnyOperation = Operation<ControlContext>;

/** A compiled operation: writes the response to `ctx`, or throws the error to return. */
export type OperationHandler = (ctx: KoaContext, search: URLSearchParams) => Promise<void>;

/** An operation or a route of the control plane, at its whole path. */
export interface MountedRoute extends Route {
  readonly operation: AnyOperation;
  compile(appContext: AppContext): OperationHandler;
  /** Whether it is a page that other sites may link to. */
  readonly isPage?: boolean;
}

const defaultLimit = 100;

export interface CompileOptions {
  /** The roles that allow a caller to list groups, which errors about missing roles name. */
  readonly groupReaders: RoleExpression;
  /** Injected faults. Not for the control plane, where they could prevent their own removal. */
  readonly faults?: FaultInjector | undefined;
  /** Whether the growth limits apply. Revocation is exempt: a limit would keep tokens valid. */
  readonly limitGrowth?: boolean;
  readonly guardAccounts?: boolean;
  /** Checks the caller of a read again before each part of the response: long polls, streams and exports outlast a revocation. */
  readonly recheckReaders?: boolean;
  /** Rejects requests of authorized callers, before the body is read, by throwing. */
  readonly assertAllowed?: (() => Promise<void> | undefined) | undefined;
  /** The queue in which a request is handled. */
  readonly queue?: ServiceStateQueue | undefined;
  /** Rejects a body of this length by throwing, before the body is received and before it is parsed. */
  readonly assertBodyFits?: ((length: number) => void) | undefined;
  /** For the control plane: see its context. */
  readonly controlDocument?: ControlContext['controlDocument'];
}

/** One request on its way through the steps: each sets what later ones need. */
interface Call {
  readonly ctx: KoaContext;
  readonly search: URLSearchParams;
  readonly disconnectSignal: () => AbortSignal;
  /** Undefined for operations without authentication: they ignore credentials, also invalid ones. */
  credentials: RequestCredentials | undefined;
  caller: Principal | undefined;
  /** The client that authenticated in the body. */
  authenticatedClient: Client | undefined;
  fault: InjectedFault | undefined;
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, unknown>>;
  bytes: Buffer | undefined;
  body: unknown;
  result: unknown;
}

/** Ends the request by throwing. Synchronous where it can be: a promise costs more than most steps. */
type Step = (call: Call) => Promise<void> | undefined;

interface Compilation extends CompileOptions {
  readonly operation: AnyOperation;
  readonly appContext: AppContext;
}

/** The steps that an operation needs, in the order of the interface. */
export function compileOperation(
  operation: AnyOperation,
  appContext: AppContext,
  options: CompileOptions,
): OperationHandler {
  const compilation = { ...options, operation, appContext };
  const steps = [
    throwPreferred(compilation),
    readCallerCredentials(compilation),
    authenticateCaller(compilation),
    options.assertAllowed,
    injectFaultBefore(compilation),
    validateParameters(compilation),
    rejectForeignPage(compilation),
    ...readAndHandle(compilation),
    injectFaultAfter(compilation),
    checkReaderAgain(compilation),
    recordInAuditLog(compilation),
    writeResult(compilation),
  ].filter((step) => step !== undefined);
  const targetReader = createTargetReader(operation);
  return async (ctx, search) => {
    ctx.state.targetReader = targetReader;
    const call = createCall(ctx, search, appContext);
    for (const step of steps) {
      const pending = step(call);
      if (pending) await pending;
    }
  };
}

const noValues: Readonly<Record<string, unknown>> = {};

function createCall(ctx: KoaContext, search: URLSearchParams, appContext: AppContext): Call {
  return {
    ctx,
    search,
    disconnectSignal: () => appContext.disconnectSignals(ctx.res),
    credentials: undefined,
    caller: undefined,
    authenticatedClient: undefined,
    fault: undefined,
    ...{ params: noValues, query: noValues, headers: noValues },
    bytes: undefined,
    body: undefined,
    result: undefined,
  };
}

function throwPreferred({ faults, operation }: Compilation): Step | undefined {
  if (!faults) return undefined;
  return ({ ctx }) => {
    if (ctx.req.headers.prefer !== undefined) throwPreferredError(ctx, faults, operation);
    return undefined;
  };
}

function readCallerCredentials({ operation }: Compilation): Step | undefined {
  if (operation.auth === 'none') return undefined;
  return (call) => {
    call.credentials = readRequestCredentials(call.ctx, call.search, operation);
    return undefined;
  };
}

/** Authenticates the caller and compares its roles with those of the declaration. */
function authenticateCaller({ operation, appContext, groupReaders }: Compilation): Step {
  const { auth, roles, request } = operation;
  const { store } = appContext;
  return async (call) => {
    const { ctx, credentials } = call;
    call.caller =
      credentials === undefined || request.clientInBody
        ? undefined
        : await authenticate(appContext, credentials, { auth, source: ctx.state.source });
    // Set also for rejected callers, for logs and the audit.
    ctx.state.caller = call.caller;
    if (!isAllowed(roles, call.caller)) throw await authorizationError(roles, call.caller, { store, groupReaders });
    if (operation.needsWholeToken && call.caller && !hasWholeToken(call.caller)) throw apiError('TOKEN_NARROWED');
  };
}

type Recheck = (call: Call, roles?: RoleExpression) => Promise<void>;

/**
 * Authenticates and authorizes the caller of a read again: a handler may have waited for what it returns. Undefined for what
 * needs no second check.
 */
function checkReaderAgain({ operation, appContext, groupReaders, recheckReaders }: Compilation): Recheck | undefined {
  const isRead = operation.audit.kind === 'read' || 'alternatives' in operation.response;
  if (recheckReaders !== true || !isRead) return undefined;
  const { auth, roles: ownRoles } = operation;
  const { store } = appContext;
  return async ({ ctx, credentials }, roles = ownRoles) => {
    const caller = credentials && (await authenticate(appContext, credentials, { auth, source: ctx.state.source }));
    if (!isAllowed(roles, caller)) throw await authorizationError(roles, caller, { store, groupReaders });
  };
}

function injectFaultBefore(compilation: Compilation): Step | undefined {
  const { faults, operation } = compilation;
  if (!faults) return undefined;
  const authenticateAgain = authenticateCaller(compilation);
  return (call) => {
    // A page that is open in the console must not use up a rule for one request.
    call.fault = isConsoleRead(call.ctx.state) ? undefined : faults.matchOperation(operation, call.caller);
    return call.fault && inject(call, call.fault);
  };

  async function inject(call: Call, fault: InjectedFault): Promise<void> {
    if (await applyFaultBefore(call.ctx, faults as FaultInjector, fault, call.disconnectSignal))
      await authenticateAgain(call);
  }
}

/** Validates path, query and headers. */
function validateParameters({ operation }: Compilation): Step {
  const { request } = operation;
  const lenient = !operation.statuses.includes(400);
  const readParameters = createPathParamsReader(operation.path);
  const readQuery = createQueryReader(request.query ?? {}, { lenient, rejectUnknown: request.strictQuery });
  const readHeaders = createHeaderReader(request.headers ?? {}, lenient);
  return (call) => {
    const { req, state } = call.ctx;
    call.params = validateParams(request.params ?? {}, readParameters(state.path));
    call.query = readQuery(call.search, state.query);
    call.headers = readHeaders(req.headers);
    return undefined;
  };
}

/** Another site can cause a POST whose body is a form, missing or ignored; a JSON body makes browsers ask first. */
function rejectForeignPage({ operation, appContext }: Compilation): Step | undefined {
  if (operation.errorFormat === 'page') {
    const assertUsedAsPage = createPageAssertion(operation, appContext);
    return ({ ctx }) => assertUsedAsPage(ctx.req);
  }
  if (operation.method !== 'POST') return undefined;
  const assertPreflighted = createPreflightAssertion(appContext.settings.corsOrigins, appContext.baseUrl);
  return ({ ctx }) => assertPreflighted(ctx.req.headers);
}

/** Only now that the caller is authorized. */
function validateRequestBody({ operation, appContext }: Compilation): Step | undefined {
  const { body: schema } = operation.request;
  if (!schema) return undefined;
  const limit = appContext.settings.bodyLimit;
  const assertHosts = hasTestFeatures(appContext.settings) ? undefined : createHostAssertion(schema);
  return async (call) => {
    call.body = await readBody(call.ctx, operation, { ...call, schema, limit });
    assertHosts?.(call.body);
  };
}

/** In the queue of the operation, if it has one. */
function readAndHandle(compilation: Compilation): (Step | undefined)[] {
  const { queue, operation, assertBodyFits } = compilation;
  const [readBodyStep, handle] = [validateRequestBody(compilation), callHandler(compilation)];
  if (!queue) return [readBodyStep, handle];
  return [
    (call) => {
      const { ctx, caller, disconnectSignal } = call;
      const { bodyLimit } = operation.request;
      const flow = { flow: toFlowKey(ctx.state.source, findAuthenticatedClientId(caller)), disconnectSignal };
      if (bodyLimit === undefined) return queue.run(async () => handle(call), flow);
      const receive = () => bufferBody(ctx, bodyLimit, assertBodyFits);
      const parseAndHandle = async (bytes: Buffer) => {
        assertBodyFits?.(bytes.length);
        call.bytes = bytes;
        await readBodyStep?.(call);
        call.bytes = undefined;
        await handle(call);
      };
      return queue.receive(receive, parseAndHandle, flow);
    },
  ];
}

function callHandler(compilation: Compilation): Step {
  const { operation } = compilation;
  const limitsGrowth = compilation.limitGrowth === true && hasGrowthLimit(operation);
  const auditsResult = hasTargetsInResult(operation);
  const createContext = createContextFactory(compilation);
  return async (call) => {
    const source = sourceOf(call);
    const limited = limitsGrowth ? limitCreations(compilation.appContext, operation, call, source) : undefined;
    const { params, query, headers, body, ctx } = call;
    const input = { params, query, headers, body: body as undefined, accept: ctx.req.headers.accept ?? '' };
    const handled = operation.handle(input, createContext(call, source, limited));
    call.result = await (limited ? handled.finally(() => limited.end()) : handled);
    if (auditsResult) ctx.state.result = call.result;
  };
}

function injectFaultAfter({ faults, appContext }: Compilation): Step | undefined {
  return faults && (({ fault }) => fault && applyFaultAfter(fault, appContext.keys));
}

/** Before the response: after a kill, each acknowledged change has its line. */
function recordInAuditLog({ operation, appContext }: Compilation): Step | undefined {
  const status = findAuditedStatus(operation);
  return status === undefined ? undefined : ({ ctx }) => recordAuditEvent(ctx.state, status, appContext);
}

const passed = async () => undefined;

function writeResult(compilation: Compilation): Step {
  const { operation, appContext } = compilation;
  const write = createResponseWriter(operation, appContext);
  const recheck = checkReaderAgain(compilation) ?? passed;
  return (call) => {
    const list = toListIdentity(operation, call);
    return write(call.ctx, call.result, { list, checkCaller: (roles) => recheck(call, roles) }) || undefined;
  };
}

function toListIdentity({ id }: AnyOperation, { params, query }: Call): ListIdentity {
  return { operationId: id, params, query };
}

/** The source of the request. Accepts the `ip` header from authenticated clients only: other callers could forge it. */
function sourceOf({ ctx, caller }: Call): RequestSource {
  const clientId = findAuthenticatedClientId(caller);
  return clientId === undefined
    ? ctx.state.source
    : sourceBehindClient(ctx.state.source, clientId, readForwardedIp(ctx));
}

function readForwardedIp(ctx: KoaContext): string | undefined {
  return ctx.req.headers.ip?.toString();
}

/** Creates the context of a handler for each request. */
function createContextFactory({ operation, appContext, controlDocument, guardAccounts: guards, faults }: Compilation) {
  const createStore = createStoreFactory(operation, appContext, guards === true);
  const absentCaller = createAbsentCaller(operation.id);
  const isList = 'page' in operation.response;
  return (call: Call, source: RequestSource, limited: LimitedRequest | undefined): ControlContext => {
    const { ctx, disconnectSignal, caller = absentCaller } = call;
    const { state } = ctx;
    const onCommit = (changes: CommittedChanges) => {
      state.commits = [...(state.commits ?? []), changes];
    };
    const issuer = issuerOfRequest(appContext, ctx.req);
    return createRequestContext(appContext, {
      controlDocument,
      store: createStore({ body: call.body, caller: call.caller, limited, onCommit }),
      issuer: recordIssuedTokens(issuer, (issued) => {
        state.issued = issued;
      }),
      credentials: () => call.credentials ?? readRequestCredentials(ctx, call.search, operation),
      authentication: appContext,
      clientCertificate: state.clientCertificate,
      assertNotFramed: () => assertNotFramed(ctx.req.headers, appContext.settings),
      caller,
      source,
      sourceBehindClient: (client) => sourceBehindClient(state.source, client.clientId, readForwardedIp(ctx)),
      hashFlow: { flow: toFlowKey(source, findAuthenticatedClientId(call.caller)), disconnectSignal },
      range: isList ? readRange(toListIdentity(operation, call), operation) : { limit: defaultLimit },
      disconnectSignal,
      markAuthenticated: (client) => Object.assign(call, { authenticatedClient: client }),
      recordLogin: (subject) => Object.assign(state, { loggedIn: subject }),
      recordFlow: (flow) => Object.assign(state, { flow }),
      recordCaller: (authenticated) => Object.assign(state, { caller: authenticated }),
      takeAuthorizationFault: () => applyAuthorizationFault(ctx, faults, operation),
      ...createConditions(ctx, appContext),
    });
  };
}

/** The status of a success whose event is recorded; undefined for reads. */
function findAuditedStatus({ audit, response }: AnyOperation): number | undefined {
  return audit.kind !== 'read' && 'status' in response ? response.status : undefined;
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
