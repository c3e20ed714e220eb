/** Declares operations of the interface. */
import { createOperationDefiner } from '../../contract/operation.ts';
import type { OperationContext } from '../request-context.ts';

export const defineOperation = createOperationDefiner<OperationContext>();
