/** Authorization of a caller by the role expression of an operation. */
import { maxGroupNames } from '../../contract/error-body.ts';
import { detailedError, type IamError } from '../../contract/errors.ts';
import {
  describeMissing,
  findMissingAuthorities,
  isAllowed,
  isReservedRole,
  type RoleExpression,
} from '../../contract/roles.ts';
import type { Reader } from '../store/store.ts';
import { createAuthenticationError } from './authenticate.ts';
import type { Principal } from './principal.ts';

interface Deps {
  readonly store: Pick<Reader, 'groups'>;
  /** The roles that let a caller list groups. */
  readonly groupReaders: RoleExpression;
}

/**
 * The error for a caller that the expression does not allow: CREDENTIALS_MISSING without a caller, ROLE_MISSING with
 * the shortest way to what is missing.
 */
export async function authorizationError(
  roles: RoleExpression,
  caller: Principal | undefined,
  deps: Deps,
): Promise<IamError> {
  if (!caller) return createAuthenticationError('CREDENTIALS_MISSING');
  const miss = findMissingAuthorities(roles, caller);
  const missing = describeMissing(miss);
  const reasons = [
    missing.length > 0 ? `The caller lacks ${missing.join(', ')}.` : '',
    miss.forbidden.length > 0 ? `The caller must not have ${miss.forbidden.join(', ')}.` : '',
  ];
  const { missingRoles, missingScopes } = miss;
  const grantedByGroups = await groupsWith(missingRoles, caller, deps);
  return detailedError(
    'ROLE_MISSING',
    { missingRoles, missingScopes, grantedByGroups },
    reasons.filter(Boolean).join(' '),
  );
}

/** Groups with the first of these roles that a group can give. Their names are for callers that may list groups. */
async function groupsWith(
  missingRoles: readonly string[],
  caller: Principal,
  { store, groupReaders }: Deps,
): Promise<readonly string[]> {
  const role = missingRoles.find((name) => !isReservedRole(name));
  if (role === undefined || !isAllowed(groupReaders, caller)) return [];
  const groups = await store.groups.find('role', role, { limit: maxGroupNames });
  return groups.map(({ groupName }) => groupName);
}
