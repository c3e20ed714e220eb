/** Declares routes of the control plane: like operations, with their own context. */
import {
  createOperationDefiner,
  type Declaration,
  type Operation,
  type OperationTypes,
  type RequestDeclaration,
  type ResponseDeclaration,
} from '../../contract/operation.ts';
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { AuditLog } from '../audit/audit.ts';
import type { MessageOutbox } from '../integrations/outbox.ts';
import type { Timer } from '../integrations/timer.ts';
import type { Observability } from '../observability/observability.ts';
import type { OperationContext } from '../operations/define.ts';
import type { Sandboxes } from '../sandboxes.ts';
import type { StateManager } from '../state/state-manager.ts';

/** The context of operations plus what only the control plane uses. */
export interface FullContext extends OperationContext {
  /** Always present when the control plane is enabled. */
  readonly observability: Observability;
  readonly audit: AuditLog | undefined;
  readonly timer: Timer;
  /** The outbox with its reading side. */
  readonly outbox: MessageOutbox;
  /** Returns the API document of the control plane. Built on the first call, then cached. */
  controlDocument(): object;
}

/** The context of a route. It has no caller, since not all servers authenticate callers of the control plane. */
export type ControlContext = Pick<
  FullContext,
  | 'store'
  | 'storeSecret'
  | 'settings'
  | 'baseUrl'
  | 'random'
  | 'keys'
  | 'issuer'
  | 'outbox'
  | 'authentication'
  | 'range'
  | 'disconnectSignal'
  | 'observability'
  | 'timer'
  | 'controlDocument'
> & {
  /** The audit log; undefined if it is switched off. */
  readonly audit: AuditLog | undefined;
  readonly state: StateManager;
  readonly sandboxes: Sandboxes;
  /** Other code receives it as a read-only Clock. */
  readonly clock: AdjustableClock;
};

/**
 * Roles that a route requires on a server with remote access. A user needs MFA to change something or see a secret; an
 * authenticated client has CLI-AUTH-BASIC, which no user token contains.
 */
export const capabilities = {
  /** Returns data without codes, keys or request bodies. */
  read: { auth: 'caller', roles: 'CLI-1STPARTY and (ADMIN or IAM_ADMIN_READ_ONLY)' },
  /** Returns codes, keys or bodies, or changes something. */
  maintain: {
    auth: 'caller',
    roles: 'CLI-1STPARTY and IAM_ADMIN_MAINTENANCE and (AUTH-MFA or CLI-AUTH-BASIC)',
  },
  /** Needs no credentials: the body authorizes the request. */
  public: { auth: 'none', roles: 'none' },
} as const;

export interface RouteOptions {
  readonly capability: keyof typeof capabilities;
  /** For browsers: a `page` that other sites may link to, or an `asset` (a file) of it. */
  readonly browser?: 'page' | 'asset';
}

export type ControlRoute = Operation<ControlContext> & RouteOptions;

type RouteDeclaration<Path extends string, Req extends RequestDeclaration, Res extends ResponseDeclaration> = Omit<
  Declaration<Path, Req, Res, ControlContext>,
  'auth' | 'roles'
> &
  RouteOptions;

const defineOperation = createOperationDefiner<ControlContext>();

/** Declares a route. Its capability determines authentication and roles. */
export function defineRoute<
  const Path extends string,
  const Req extends RequestDeclaration,
  const Res extends ResponseDeclaration,
>(declaration: RouteDeclaration<Path, Req, Res>): ControlRoute & OperationTypes<Req, Res> {
  const authorized = { ...declaration, ...capabilities[declaration.capability] } as Declaration<
    Path,
    Req,
    Res,
    ControlContext
  >;
  const { capability, browser } = declaration;
  return { ...defineOperation(authorized), capability, ...(browser ? { browser } : {}) };
}
