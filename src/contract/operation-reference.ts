/** Error codes and examples by operation id. `npm run generate` writes operation-reference.json. */
import type { OperationReference } from './manifest-types.ts';
import generated from './operation-reference.json' with { type: 'json' };

// TypeScript infers a type for each operation of a JSON file, where these are entries of one type.
export const operationReference = generated as unknown as Readonly<Record<string, OperationReference>>;
