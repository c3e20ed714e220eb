/** Which operations and routes a caller may use, by the roles that the server requires for them. */
import type { paths as ControlPaths } from '#control-api';
import type { operations as ServiceOperations } from '#service-api';
import type { controlPrefix } from '../../../../src/contract/prefix.ts';
import { describeMissing, findMissingAuthorities, isAllowed, parseRoles } from '../../../../src/contract/roles.ts';
import { type AccessRule, accessRules } from './access-rules.ts';
import type { CallerRoles } from './credentials.ts';

type Paths<Api> = { readonly [Path in keyof Api & string]: Methods<Path, Api[Path]> }[keyof Api & string];
type Methods<Path extends string, Item> = {
  [Method in keyof Item & string]: Item[Method] extends { responses: unknown }
    ? `${Uppercase<Method>} ${typeof controlPrefix}${Path}`
    : never;
}[keyof Item & string];

/** `groups.create`, or `POST /_iam/faults`. */
export type AccessTarget = keyof ServiceOperations | Paths<ControlPaths>;

export interface Permission {
  readonly isAllowed: boolean;
  /** Whether that is not known yet. */
  readonly isAssumed?: boolean;
  /** What is missing, as a sentence. */
  readonly reason?: string | undefined;
}

const rules = accessRules as Readonly<Record<AccessTarget, AccessRule>>;
export const allowed: Permission = { isAllowed: true };
export function accessRuleOf(target: AccessTarget): AccessRule {
  return rules[target];
}

/** @param caller undefined until it is known; null if the server has no client for the operations */
export function judge(target: AccessTarget, caller: CallerRoles | null | undefined): Permission {
  if (caller === undefined) return { ...allowed, isAssumed: true };
  if (caller === null)
    return { isAllowed: false, reason: 'No client of this server has the authority IAM_ADMIN_MAINTENANCE.' };
  const expression = parseRoles(rules[target].roles);
  const authorities = { roles: new Set(caller.roles), scope: new Set(caller.scope) };
  if (isAllowed(expression, authorities)) return allowed;
  const missing = findMissingAuthorities(expression, authorities);
  // Only a client itself has this role, no user that logged in through it.
  const mfaHint = authorities.roles.has('CLI-AUTH-BASIC')
    ? 'A client obtains it by the line `authorities: [AUTH-MFA]` in a seed.'
    : 'Log in with a second factor.';
  return { isAllowed: false, reason: describeReason(describeMissing(missing), missing.forbidden, mfaHint) };
}

function describeReason(missing: readonly string[], forbidden: readonly string[], mfaHint: string): string {
  const required = missing.length === 0 ? [] : [`Requires ${missing.join(' and ')}.`];
  // Who lacks another role as well is not helped by it.
  const hint = missing.join() === 'AUTH-MFA' ? [mfaHint] : [];
  const refused = forbidden.map((name) => `Not available with ${name}.`);
  return [...required, ...hint, ...refused].join(' ');
}
