/** The OAuth endpoints outside the service prefix. */
import type { Operation } from '../../contract/operation.ts';
import type { OperationContext } from '../request-context.ts';
import introspect from './introspect.ts';
import revoke from './revoke.ts';

const byId = { 'oauth2.introspect': introspect, 'oauth2.revoke': revoke } as const;

export type OAuthOperationId = keyof typeof byId;
export const oauthOperations: readonly Operation<OperationContext>[] = Object.values(byId);
