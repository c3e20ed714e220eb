/** Authorizes a caller against the role expression of an operation. */
import { maxGroupNames } from '../../contract/error-body.ts';
import { detailedError, type IamError } from '../../contract/errors.ts';
import {
  describeMissing,
  findMissingAuthorities,
  isAllowed,
  isReservedRole,
  type RoleExpression,
} from '../../contract/roles.ts';
import { explainMfaOfClients, type Principal } from '../directory/principal.ts';
import type { Reader } from '../store/store.ts';
import { createAuthenticationError } from '../tokens/authentication-error.ts';

interface Deps {
  readonly store: Pick<Reader, 'groups'>;
  /** The roles that allow a caller to list groups. */
  readonly groupReaders: RoleExpression;
}

/**
 * The error for a caller that the expression does not allow: CREDENTIALS_MISSING without a caller, else ROLE_MISSING
 * with the smallest set of missing authorities.
 */
export async function authorizationError(
  roles: RoleExpression,
  caller: Principal | undefined,
  deps: Deps,
): Promise<IamError> {
  if (!caller) return createAuthenticationError('CREDENTIALS_MISSING');
  const requirements = findMissingAuthorities(roles, caller);
  const missing = describeMissing(requirements);
  const reasons = [
    missing.length > 0 ? `The caller lacks ${missing.join(', ')}.` : '',
    requirements.missingRoles.includes('AUTH-MFA') ? explainMfaOfClients(caller) : '',
    requirements.forbidden.length > 0 ? `The caller must not have ${requirements.forbidden.join(', ')}.` : '',
  ];
  const { missingRoles, missingScopes } = requirements;
  const grantedByGroups = await findGrantingGroups(missingRoles, caller, deps);
  return detailedError(
    'ROLE_MISSING',
    { missingRoles, missingScopes, grantedByGroups },
    reasons.filter(Boolean).join(' '),
  );
}

/** Groups that grant the first of these roles that a group can grant. Names are returned only to callers that may list groups. */
async function findGrantingGroups(
  missingRoles: readonly string[],
  caller: Principal,
  { store, groupReaders }: Deps,
): Promise<readonly string[]> {
  const role = missingRoles.find((name) => !isReservedRole(name));
  if (role === undefined || !isAllowed(groupReaders, caller)) return [];
  const groups = await store.groups.find('role', role, { limit: maxGroupNames });
  return groups.map(({ groupName }) => groupName);
}
