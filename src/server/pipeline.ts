/**
 * The way of every call: authenticate, authorize, path, query, body, handle, check the answer, write it. Compiled once
 * for each operation from its declaration; the order is a rule of the interface, so that a refused call learns nothing.
 */
import type { Context } from 'koa';
import type * as z from 'zod';
import { errorTable, fault, IamError } from '../contract/errors.ts';
import { hasGrowthLimit } from '../contract/growth.ts';
import type { Operation } from '../contract/operation.ts';
import { allows } from '../contract/roles.ts';
import { type Issued, noting } from './audit/issued.ts';
import { hasTargetsInResult } from './audit/targets.ts';
import type { WholeContext } from './control/define.ts';
import { readForm, readJson, sendsNothing } from './http/body.ts';
import { keyOfCursor, type ListIdentity } from './http/cursor.ts';
import { asMalformed } from './http/failure.ts';
import { goneSignal } from './http/gone.ts';
import { timesGiven } from './http/headers.ts';
import { parametersIn } from './http/paths.ts';
import { behindClient, type RequestSource } from './http/request-source.ts';
import { checkBody, checkParams, headerReader, queryReader } from './http/validate.ts';
import { etagMatches, wireEtag } from './http/wire.ts';
import { guardAccounts } from './identity/account-guard.ts';
import { authenticate, unauthenticated } from './identity/authenticate.ts';
import { authorizationError } from './identity/authorize.ts';
import { type Presented, readCredentials } from './identity/credentials.ts';
import { limitGrowth } from './identity/growth-limit.ts';
import { type HashLane, laneOf } from './identity/hash-queue.ts';
import { authenticatedClient, type Principal } from './identity/principal.ts';
import { disturbAfter, disturbBefore, failAsPreferred } from './insight/disturb.ts';
import type { Faults } from './insight/faults.ts';
import type { OperationContext } from './operations/define.ts';
import listGroups from './operations/groups/list.ts';
import type { Client } from './store/tables.ts';
import type { World } from './world.ts';
import { writerOf } from './writers.ts';

export type AnyOperation = Operation<WholeContext>;

/** A compiled operation: writes the answer into `ctx`, throws what is to be answered as a failure. */
export type Handler = (ctx: Context, search: URLSearchParams) => Promise<void>;

const defaultLimit = 100;

export interface CompileOptions {
  /** Those on purpose. With them on the control plane nobody could take them away again. */
  readonly faults?: Faults | undefined;
  /** Whether callers that did not authenticate are limited in what they create. Revocation is not: a limit would keep tokens in force. */
  readonly limitsGrowth?: boolean;
  readonly guardsAccounts?: boolean;
}

export function compile(operation: AnyOperation, world: World, options: CompileOptions = {}): Handler {
  const { faults } = options;
  const isGuarded = options.guardsAccounts === true && operation.method !== 'GET';
  const limitsGrowth = options.limitsGrowth === true && hasGrowthLimit(operation);
  const readParameters = parametersIn(operation.path);
  const lenient = !operation.statuses.includes(400);
  const readQuery = queryReader(operation.request.query ?? {}, lenient);
  const readHeaders = headerReader(operation.request.headers ?? {}, lenient);
  const write = writerOf(operation, world);
  const nobody = nobodyCalling(operation);
  const auditsResult = hasTargetsInResult(operation);

  async function admitted(ctx: Context, presented: Presented | undefined): Promise<Principal | undefined> {
    const asked = presented !== undefined && !operation.request.clientInBody;
    const caller = asked
      ? await authenticate(world, presented, { auth: operation.auth, source: ctx.state.source })
      : undefined;
    // Also of whoever is refused: who looks for the reason wants to know who he was.
    ctx.state.caller = caller;
    if (!allows(operation.roles, caller))
      throw await authorizationError(operation.roles, caller, { store: world.store, groupReaders: listGroups.roles });
    return caller;
  }

  return async (ctx, search) => {
    const ip = ctx.req.headers.ip?.toString();
    if (faults && ctx.req.headers.prefer !== undefined) failAsPreferred(ctx, faults, operation);
    // Where nobody is asked who he is, what else he presents is his own affair: stale credentials do not matter.
    const presented = operation.auth === 'none' ? undefined : present(ctx, search, operation);
    let caller = await admitted(ctx, presented);
    const disturbance = faults?.disturbanceOf(operation, caller);
    if (faults && disturbance && (await disturbBefore(ctx, faults, disturbance)))
      caller = await admitted(ctx, presented);
    const params = checkParams(operation.request.params ?? {}, readParameters(ctx.state.path));
    const query = readQuery(search, ctx.state.query);
    const headers = readHeaders(ctx.req.headers);
    const body =
      operation.request.body && (await readBody(ctx, operation, { limit: world.settings.bodyLimit, presented }));
    const list: ListIdentity = { operationId: operation.id, params, query };
    const clientId = authenticatedClient(caller);
    // Another caller could make up any address.
    const source = clientId === undefined ? ctx.state.source : behindClient(ctx.state.source, clientId, ip);
    const limited = limitsGrowth ? limitGrowth(world, operation, { caller, source }) : undefined;
    const store = limited?.store ?? world.store;
    const gone = () => goneSignal(ctx.res);
    const context = contextOf(world, operation, {
      store: isGuarded ? guardAccounts(store, caller ?? nobody, world) : store,
      presented: () => presented ?? present(ctx, search, operation),
      caller: caller ?? nobody,
      source,
      sourceBehind: (client) => behindClient(ctx.state.source, client.clientId, ip),
      hashLane: { lane: laneOf(source, clientId), gone },
      list,
      ifMatch: ctx.req.headers['if-match'] ?? '',
      gone,
      authenticated: () => limited?.exempt(),
      loggedIn: (subject) => {
        ctx.state.loggedIn = subject;
      },
      issued: (issued) => {
        ctx.state.issued = issued;
      },
    });
    const input = { params, query, headers, body: body as undefined, accept: ctx.req.headers.accept ?? '' };
    const answer = await operation.handle(input, context).finally(() => limited?.end());
    if (auditsResult) ctx.state.result = answer;
    if (disturbance) await disturbAfter(disturbance, world.keys);
    const writing = write(ctx, answer, list);
    if (writing) await writing;
  };
}

interface BodyReading {
  readonly limit: number;
  readonly presented: Presented | undefined;
}

async function readBody(ctx: Context, { request }: AnyOperation, { limit, presented }: BodyReading): Promise<unknown> {
  if (!request.body) return undefined;
  const isLong = request.bodyLimit !== undefined;
  const most = request.bodyLimit ?? limit;
  try {
    // Where no field is required, sending nothing is sending none.
    if (!request.form && sendsNothing(ctx.req) && request.body.safeParse({}).success) return request.body.parse({});
    const body = await (request.form ? readForm(ctx.req, most) : readJson(ctx.req, most, isLong));
    ctx.state.body = body;
    return checkBody(request.body, body);
  } catch (error) {
    // What is wrong with a body that nothing depends on does not matter; how long it is does.
    const dispensable =
      presented?.userPair !== undefined && error instanceof IamError && error.code !== 'BODY_TOO_LARGE';
    if (dispensable) return undefined;
    if (request.malformedBody === undefined || !isMalformed(error)) throw error;
    throw asMalformed(unauthenticated(request.malformedBody));
  }
}

/** What HTTP itself refuses, such as a body that is too large, is not meant. */
function isMalformed(error: unknown): boolean {
  return error instanceof IamError && [400, 422].includes(errorTable[error.code].status);
}

function present(ctx: Context, search: URLSearchParams, operation: AnyOperation): Presented {
  const { authorization, 'x-api-key': apiKey } = ctx.req.headers;
  return readCredentials(
    {
      authorization: repeated(ctx, 'authorization') ?? authorization,
      apiKey: repeated(ctx, 'x-api-key') ?? apiKey,
      clientIds: operation.auth === 'client-id' ? search.getAll('clientId') : [],
    },
    { userPair: operation.request.userPair === true },
  );
}

/** Node keeps the first of a repeated Authorization and joins others: two of them are no credential. */
function repeated(ctx: Context, name: string): undefined {
  if (timesGiven(ctx.req, name) > 1) throw fault('CREDENTIALS_AMBIGUOUS', `${name} is given more than once.`);
  return undefined;
}

interface CallParts {
  readonly store: World['store'];
  authenticated(): void;
  presented(): Presented;
  readonly caller: Principal;
  readonly source: RequestSource;
  sourceBehind(client: Client): RequestSource;
  readonly hashLane: HashLane;
  readonly list: ListIdentity;
  readonly ifMatch: string;
  gone(): AbortSignal;
  loggedIn(subject: string): void;
  issued(issued: Issued): void;
}

/** No property of it may be a getter made for the call: V8 would make a shape of object for each, and keep the call with it. */
function contextOf(world: World, operation: AnyOperation, call: CallParts): WholeContext {
  return {
    store: call.store,
    storeKey: world.storeKey,
    settings: world.settings,
    disableRateLimits: world.disableRateLimits,
    baseUrl: world.baseUrl,
    outbox: world.outbox,
    mainframe: world.mainframe,
    productSystem: world.productSystem,
    providers: world.providers,
    clock: world.clock,
    ids: world.ids,
    randomness: world.randomness,
    keys: world.keys,
    issuer: world.audit ? noting(world.issuer, call.issued) : world.issuer,
    passwords: world.passwords,
    hashLane: call.hashLane,
    authentication: world,
    insight: world.insight,
    audit: world.audit,
    timer: world.timer,
    state: world.state,
    sandboxes: world.sandboxes,
    presented: call.presented,
    caller: call.caller,
    source: call.source,
    sourceBehind: call.sourceBehind,
    gone: call.gone,
    loggedIn: call.loggedIn,
    authenticated: call.authenticated,
    range: 'page' in operation.response ? rangeOf(call.list, operation) : { limit: defaultLimit },
    requireMatch(schema: z.ZodType, current: object) {
      if (call.ifMatch === '') return;
      if (!etagMatches(call.ifMatch, wireEtag(schema, current))) throw fault('CHANGED_MEANWHILE');
    },
  } as WholeContext;
}

/** In the place of a caller where there is none: to ask for anything of him is a fault of the program. */
function nobodyCalling({ id }: AnyOperation): Principal {
  return new Proxy({} as Principal, {
    get() {
      throw new Error(`${id} asks who calls, but lets nobody in as well`);
    },
  });
}

function rangeOf(list: ListIdentity, operation: AnyOperation): OperationContext['range'] {
  const { limit, after } = list.query as { limit?: number; after?: string };
  const range = { limit: limit ?? defaultLimit };
  if (after === undefined) return range;
  try {
    return { ...range, after: keyOfCursor(after, list) };
  } catch (error) {
    if (operation.statuses.includes(400)) throw error;
    return range;
  }
}
