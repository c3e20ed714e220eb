/** Determines the operations under the growth limit from their required roles. */
import { isAllowed, type RoleExpression } from './roles.ts';

/** The authorities of a user who signed up without an administrator and has not logged in with a password. */
const selfRegistered = {
  roles: new Set(['CLI-AUTH-IDENTIFIED', 'CLI-1STPARTY', 'AUTH-IDENTIFIED', 'USER', 'PERSON']),
  scope: new Set<string>(),
};

interface OperationAccess {
  readonly auth: string;
  readonly method: string;
  readonly roles: RoleExpression;
  readonly growthLimit?: false;
}

/** Whether unauthenticated callers can create objects with the operation. */
export function hasGrowthLimit({ auth, method, roles, growthLimit }: OperationAccess): boolean {
  return growthLimit !== false && method !== 'GET' && (auth !== 'caller' || isAllowed(roles, selfRegistered));
}
