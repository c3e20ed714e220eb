/** Ids of the operations that rules and filters of the control plane can name. */
import type { Operation } from '../../contract/operation.ts';
import { oauthOperations } from '../oauth/index.ts';
import { operations } from '../operations/index.ts';

/** The operations whose requests are recorded and can have faults: those of the interface and of OAuth. */
export const recordedOperations: readonly Operation<never>[] = [...Object.values(operations), ...oauthOperations];

const operationIds = new Set(recordedOperations.map(({ id }) => id));

/** A misspelled id would match no request. */
export function isOperationId(id: string): boolean {
  return operationIds.has(id);
}

export const operationIdMessage = 'must be the id of an operation, such as groups.create';
