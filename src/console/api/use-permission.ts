/**
 * Whether the caller may use an operation of the interface or a route of the control plane, and which role it lacks. The
 * server decides each request: until the caller is known, everything is offered.
 */
import { useQuery } from '@tanstack/react-query';
import { describeMissing, findMissingAuthorities, isAllowed, parseRoles } from '../../contract/roles.ts';
import accessRules from './access-rules.json';
import { type CallerRoles, useLogin, useLoginCaller, useServiceCaller } from './caller.ts';
import { useConsole } from './console-context.ts';
import { unwrap } from './errors.ts';

/** `groups.create`, or `POST /_iam/faults`. */
export type AccessTarget = keyof typeof accessRules;

export interface Permission {
  readonly isAllowed: boolean;
  /** What is missing, as a sentence. */
  readonly reason?: string | undefined;
}

const rules: Readonly<Record<AccessTarget, { readonly roles: string; readonly test?: boolean }>> = accessRules;
const allowed: Permission = { isAllowed: true };
const withoutTestFeatures = 'Test features are off on this server: start it with --test-features on.';

/** Of several targets, one is sufficient: the caller chooses between them later. */
export function usePermission(...targets: readonly AccessTarget[]): Permission {
  const login = useLogin();
  const isIssued = login === undefined && targets.some(isInterfaceOperation);
  const hasTestFeatures = useTestFeatures(isIssued || targets.some((target) => rules[target].test === true));
  const loginCaller = useLoginCaller();
  const serviceCaller = useServiceCaller({ enabled: isIssued && hasTestFeatures === true });
  const permissions = targets.map((target): Permission => {
    if (hasTestFeatures === false && (rules[target].test === true || (isIssued && isInterfaceOperation(target))))
      return { isAllowed: false, reason: withoutTestFeatures };
    if (login !== undefined) return judge(target, loginCaller);
    // Without login, the control plane accepts all requests of this machine.
    return isInterfaceOperation(target) ? judge(target, serviceCaller) : allowed;
  });
  return permissions.find((permission) => permission.isAllowed) ?? permissions[0] ?? allowed;
}

function isInterfaceOperation(target: AccessTarget): boolean {
  return !target.includes(' ');
}

function judge(target: AccessTarget, caller: CallerRoles | null | undefined): Permission {
  if (caller === undefined) return allowed;
  if (caller === null)
    return { isAllowed: false, reason: 'No client of this server has the authority IAM_ADMIN_MAINTENANCE.' };
  const expression = parseRoles(rules[target].roles);
  const authorities = { roles: new Set(caller.roles), scope: new Set(caller.scope) };
  if (isAllowed(expression, authorities)) return allowed;
  const missing = findMissingAuthorities(expression, authorities);
  return { isAllowed: false, reason: describeReason(describeMissing(missing), missing.forbidden) };
}

function describeReason(missing: readonly string[], forbidden: readonly string[]): string {
  const required = missing.length === 0 ? [] : [`Requires ${missing.join(' and ')}.`];
  const hint = missing.includes('AUTH-MFA') ? ['Log in with a second factor.'] : [];
  const refused = forbidden.map((name) => `Not available with ${name}.`);
  return [...required, ...hint, ...refused].join(' ');
}

/** Undefined until it is known. A server that omits the settings has them on. */
function useTestFeatures(enabled: boolean): boolean | undefined {
  const { control } = useConsole();
  const { data } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => unwrap(control.GET('/settings', { signal })),
    enabled,
    // A restart changes them, and refetches everything.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return undefined;
  const { 'test-features': mode = 'auto', 'allow-remote': isRemote = false } = data;
  return mode === 'auto' ? !isRemote : mode === 'on';
}
