/** How a route of the control plane is declared: as an operation is, with its own context. */
import {
  type Declaration,
  type Operation,
  operationDefiner,
  type RequestDeclaration,
  type ResponseDeclaration,
  type Typed,
} from '../../contract/operation.ts';
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { AuditLog } from '../audit/audit.ts';
import type { Insight } from '../insight/insight.ts';
import type { OperationContext } from '../operations/define.ts';
import type { MessagePort } from '../ports/outbox.ts';
import type { Timer } from '../ports/timer.ts';
import type { Sandboxes } from '../sandboxes.ts';
import type { State } from '../state/state.ts';

/** Below this path, beside the service prefix and never under it. */
export const controlPrefix = '/_iam';

/** What operations are given, and what they have no business with. */
export interface WholeContext extends OperationContext {
  /** There is one wherever there is a control plane. */
  readonly insight: Insight;
  readonly audit: AuditLog | undefined;
  readonly timer: Timer;
  /** With what is for who reads messages. */
  readonly outbox: MessagePort;
}

/** What a route is given besides the call itself. Who calls is asked on some servers only, so no route is told. */
export type ControlContext = Pick<
  WholeContext,
  | 'store'
  | 'storeKey'
  | 'settings'
  | 'baseUrl'
  | 'randomness'
  | 'keys'
  | 'issuer'
  | 'outbox'
  | 'authentication'
  | 'range'
  | 'gone'
  | 'insight'
  | 'timer'
> & {
  /** Where decisions are told, if anywhere. */
  readonly audit: AuditLog | undefined;
  readonly state: State;
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

const defineOperation = operationDefiner<ControlContext>();

/** Declares a route; its capability decides who may call it. */
export function defineRoute<
  const Path extends string,
  const Req extends RequestDeclaration,
  const Res extends ResponseDeclaration,
>(declaration: RouteDeclaration<Path, Req, Res>): ControlRoute & Typed<Req, Res> {
  const authorized = { ...declaration, ...capabilities[declaration.capability] } as Declaration<
    Path,
    Req,
    Res,
    ControlContext
  >;
  const { capability, browser } = declaration;
  return { ...defineOperation(authorized), capability, ...(browser ? { browser } : {}) };
}
