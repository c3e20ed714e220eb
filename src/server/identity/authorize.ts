/** Authorization of a caller by the role expression of an operation. */
import { fault } from '../../contract/errors.ts';
import { allows, nearestMiss, type RoleExpression } from '../../contract/roles.ts';
import { unauthenticated } from './authenticate.ts';
import type { Principal } from './principal.ts';

/** @throws IamError CREDENTIALS_MISSING without a caller, ROLE_MISSING with the shortest way to what is missing. */
export function authorizeCaller(roles: RoleExpression, caller: Principal | undefined): void {
  if (allows(roles, caller)) return;
  if (!caller) throw unauthenticated('CREDENTIALS_MISSING');
  const { missing, standsAgainst } = nearestMiss(roles, caller);
  const reasons = [
    missing.length > 0 ? `The caller lacks ${missing.join(', ')}.` : '',
    standsAgainst.length > 0 ? `The caller must not have ${standsAgainst.join(', ')}.` : '',
  ];
  throw fault('ROLE_MISSING', reasons.filter(Boolean).join(' '));
}
