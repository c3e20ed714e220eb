/** Determines the operations under the growth limits from their required roles. */
import { isAdministrativeRole, type RoleExpression } from './roles.ts';

interface OperationAccess {
  readonly auth: string;
  readonly method: string;
  readonly roles: RoleExpression;
  readonly growthLimit?: false;
  readonly writes?: true;
}

/** Whether the operation can change something. */
export function canWrite({ method, writes }: Pick<OperationAccess, 'method' | 'writes'>): boolean {
  return writes === true || method !== 'GET';
}

/** Whether callers without an administrative role can create objects with the operation. */
export function hasGrowthLimit(operation: OperationAccess): boolean {
  const { auth, roles, growthLimit } = operation;
  return growthLimit !== false && canWrite(operation) && (auth !== 'caller' || admitsUnprivileged(roles));
}

function admitsUnprivileged(roles: RoleExpression): boolean {
  if (roles.kind === 'role') return !isAdministrativeRole(roles.name);
  if (roles.kind === 'all') return roles.of.every(admitsUnprivileged);
  return roles.kind !== 'any' || roles.of.some(admitsUnprivileged);
}
