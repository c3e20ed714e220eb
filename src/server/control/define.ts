/** How a route of the control plane is declared: as an operation is, with its own context. */
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

/** Below this path, beside the service prefix and never under it. */
export const controlPrefix = '/_iam';

/** What operations are given, and what they have no business with. */
export interface FullContext extends OperationContext {
  /** There is one wherever there is a control plane. */
  readonly observability: Observability;
  readonly audit: AuditLog | undefined;
  readonly timer: Timer;
  /** With what is for who reads messages. */
  readonly outbox: MessageOutbox;
}

/** What a route is given besides the call itself. Who calls is asked on some servers only, so no route is told. */
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
> & {
  /** Where decisions are told, if anywhere. */
  readonly audit: AuditLog | undefined;
  readonly state: StateManager;
  readonly sandboxes: Sandboxes;
  /** Every other reader of it has no more than a Clock. */
  readonly clock: AdjustableClock;
};

/**
 * What a route needs where other machines reach the server. A user who changes something or sees a secret has shown a
 * second factor; a client that proves itself has CLI-AUTH-BASIC, which no token of a user carries.
 */
export const capabilities = {
  /** Shows what exists, without codes, keys or bodies of requests. */
  read: { auth: 'caller', roles: 'CLI-1STPARTY and (ADMIN or IAM_ADMIN_READ_ONLY)' },
  /** Shows codes, keys or bodies, or changes anything. */
  maintain: {
    auth: 'caller',
    roles: 'CLI-1STPARTY and IAM_ADMIN_MAINTENANCE and (AUTH-MFA or CLI-AUTH-BASIC)',
  },
  /** Takes no credentials: what authorizes the request is in its body. */
  public: { auth: 'none', roles: 'none' },
} as const;

export interface RouteOptions {
  readonly capability: keyof typeof capabilities;
  /** For browsers: `page` is one that links on other sites may lead to, `asset` a file of it. */
  readonly browser?: 'page' | 'asset';
}

export type ControlRoute = Operation<ControlContext> & RouteOptions;

type RouteDeclaration<Path extends string, Req extends RequestDeclaration, Res extends ResponseDeclaration> = Omit<
  Declaration<Path, Req, Res, ControlContext>,
  'auth' | 'roles'
> &
  RouteOptions;

const defineOperation = createOperationDefiner<ControlContext>();

/** Declares a route; its capability decides who may call it. */
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
