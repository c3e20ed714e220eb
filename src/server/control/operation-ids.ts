/** Ids of the operations that rules and filters of the control plane can name. */
import type { Operation } from '../../contract/operation.ts';
import { type OAuthOperationId, oauthOperations } from '../oauth/index.ts';
import { type OperationId, operations } from '../operations/index.ts';
import { knownName } from './known-names.ts';

/** The operations whose requests are recorded and can have faults: those of the interface and of OAuth. */
export const recordedOperations: readonly Operation<never>[] = [...Object.values(operations), ...oauthOperations];

export type RecordedId = OperationId | OAuthOperationId;

/** The id of an operation: a misspelled one would match no request. */
export const RecordedOperationId = knownName(
  recordedOperations.map(({ id }) => id as RecordedId),
  'the id of an operation, such as groups.create',
).meta({ id: 'OperationId', description: 'The id of an operation, such as groups.create.' });
