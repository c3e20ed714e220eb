/** How a route of the control plane is declared: as an operation is, with its own context. */
import { operationDefiner } from '../../contract/operation.ts';
import type { OperationContext } from '../operations/define.ts';
import type { Settings } from '../settings.ts';
import type { Reader } from '../store/store.ts';

/** Below this path, beside the service prefix and never under it. */
export const controlPrefix = '/_iam';

/** What a route is given besides the call itself. */
export interface ControlContext {
  readonly store: Reader;
  readonly settings: Settings;
  /** Where callers reach the service, without a slash at the end. */
  readonly baseUrl: string;
  readonly range: OperationContext['range'];
}

export const defineRoute = operationDefiner<ControlContext>();

/** What every reading route asks of callers on a server that other machines reach. */
export const forReaders = {
  method: 'GET',
  auth: 'caller',
  roles: 'CLI-1STPARTY and (ADMIN or IAM_ADMIN_READ_ONLY)',
} as const;
