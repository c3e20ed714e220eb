/**
 * What each operation and each route of the control plane requires, by id, or by method and path. The build evaluates this
 * file, so that the page contains its value only.
 */
import openapi from '../../../../docs/openapi.json' with { type: 'json' };
import type { ManifestRoute } from '../../../../src/contract/manifest-types.ts';
import { type OperationsDocument, readOperations, readReference } from '../../../../src/contract/openapi-operations.ts';
import { controlPrefix } from '../../../../src/contract/prefix.ts';
import server from '../../../../src/contract/server.json' with { type: 'json' };

export interface AccessRule {
  readonly roles: string;
  /** Present if the server rejects it without test features. */
  readonly test?: true;
  /** Present if it deletes or disables something, so that it is confirmed. */
  readonly destructive?: true;
}

// TypeScript infers `string` for the texts of a JSON file, where these types have unions.
const document = openapi as unknown as OperationsDocument;
const controlRoutes = server.controlRoutes as unknown as readonly ManifestRoute[];
const reference = readReference(document);

function toRule(roles: string, test = false, destructive = false): AccessRule {
  return { roles, ...(test ? { test } : {}), ...(destructive ? { destructive } : {}) };
}

function isTest(id: string): boolean {
  return Object.values(reference[id]?.errors ?? {}).some((codes) => codes.includes('TEST_FEATURES_OFF'));
}

export const accessRules: Readonly<Record<string, AccessRule>> = Object.fromEntries([
  ...readOperations(document).map(
    ({ id, roles, effect }) => [id, toRule(roles, isTest(id), effect === 'destructive')] as const,
  ),
  ...controlRoutes.map(
    ({ method, path, roles, test }) => [`${method} ${controlPrefix}${path}`, toRule(roles, test)] as const,
  ),
]);
