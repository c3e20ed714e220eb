/** How a route of the control plane is declared: as an operation is, with its own context. */
import { operationDefiner } from '../../contract/operation.ts';
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { AuditSink } from '../audit/audit.ts';
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
  readonly audit: AuditSink | undefined;
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
  readonly audit: AuditSink | undefined;
  readonly state: State;
  readonly sandboxes: Sandboxes;
  /** Every other reader of it has no more than a Clock. */
  readonly clock: AdjustableClock;
};

export const defineRoute = operationDefiner<ControlContext>();

/** What every reading route asks of callers on a server that other machines reach. */
export const forReaders = {
  method: 'GET',
  auth: 'caller',
  roles: 'CLI-1STPARTY and (ADMIN or IAM_ADMIN_READ_ONLY)',
} as const;

/** What a route that changes something, or shows codes, asks of them. */
export const forAdministrators = { auth: 'caller', roles: 'CLI-1STPARTY and ADMIN' } as const;
