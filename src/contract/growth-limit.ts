/** Which operations are under the growth limit: derived from who may call them. */
import { isAllowed, type RoleExpression } from './roles.ts';

/** What a user has who signed up without anybody's help and has yet to give a password. */
const selfRegistered = {
  roles: new Set(['CLI-AUTH-IDENTIFIED', 'CLI-1STPARTY', 'AUTH-IDENTIFIED', 'USER', 'PERSON']),
  scope: new Set<string>(),
};

interface OperationAccess {
  readonly auth: string;
  readonly method: string;
  readonly roles: RoleExpression;
}

/** Whether callers that did not authenticate reach the operation and may create something with it. */
export function hasGrowthLimit({ auth, method, roles }: OperationAccess): boolean {
  return method !== 'GET' && (auth !== 'caller' || isAllowed(roles, selfRegistered));
}
