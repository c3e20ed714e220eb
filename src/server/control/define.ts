/** How a route of the control plane is declared: as an operation is, with its own context. */
import { operationDefiner } from '../../contract/operation.ts';
import type { AdjustableClock } from '../adjustable-clock.ts';
import type { OperationContext } from '../operations/define.ts';

/** Below this path, beside the service prefix and never under it. */
export const controlPrefix = '/_iam';

/** What a route is given besides the call itself. Who calls is asked on some servers only, so no route is told. */
export type ControlContext = Pick<
  OperationContext,
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
> & {
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
