/** The OAuth endpoints outside the service prefix. */
import type { Operation } from '../../contract/operation.ts';
import type { OperationContext } from '../request-context.ts';
import introspect from './introspect.ts';
import revoke from './revoke.ts';

export const oauthOperations: readonly Operation<OperationContext>[] = [introspect, revoke];
