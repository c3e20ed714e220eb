/** Generates packages/console/src/api/access-rules.json: what each operation and each route of the control plane requires. */
import type { Operation } from '../../src/contract/operation.ts';
import { controlPrefix } from '../../src/contract/prefix.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { sortByPath } from '../../src/server/openapi/document.ts';

interface AccessRule {
  readonly roles: string;
  /** Present if the server rejects it without test features. */
  readonly test?: true;
}

/** Renders the file. Operations are named by their id, routes of the control plane by method and path. */
export function accessRulesSource(operations: Readonly<Record<string, Operation<never>>>): string {
  const rules = [
    ...Object.values(operations).map((operation) => [operation.id, toRule(operation)]),
    ...sortByPath(controlRoutes).map((route) => [`${route.method} ${controlPrefix}${route.path}`, toRule(route)]),
  ];
  return `${JSON.stringify(Object.fromEntries(rules), undefined, 2)}\n`;
}

function toRule({ roles, errors }: Pick<Operation<never>, 'roles' | 'errors'>): AccessRule {
  return { roles: formatRoles(roles), ...(errors.includes('TEST_FEATURES_OFF') ? { test: true } : {}) };
}
