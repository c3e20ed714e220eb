/** Error codes and examples by operation id, from docs/openapi.json. The bundle contains the value, see scripts/bundle.mjs. */
import openapi from '../../docs/openapi.json' with { type: 'json' };
import type { OperationReference } from './manifest-types.ts';
import { type OperationsDocument, readReference } from './openapi-operations.ts';

// TypeScript infers a type for each operation of a JSON file, where these are entries of one type.
export const operationReference: Readonly<Record<string, OperationReference>> = readReference(
  openapi as unknown as OperationsDocument,
);
