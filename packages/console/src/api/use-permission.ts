/**
 * Whether the caller may use an operation of the interface or a route of the control plane, and which role it lacks. The
 * server decides each request: until the caller is known, everything is offered.
 */
import { useLogin, useLoginCaller, useServiceCaller } from './caller.ts';
import { type AccessTarget, accessRuleOf, allowed, judge, type Permission } from './permissions.ts';
import { useRead } from './use-read.ts';

const withoutTestFeatures = 'Test features are off on this server: start it with --test-features on.';

/** Of several targets, one is sufficient: the caller chooses between them later. */
export function usePermission(...targets: readonly AccessTarget[]): Permission {
  const login = useLogin();
  const isIssued = login === undefined && targets.some(isInterfaceOperation);
  const hasTestFeatures = useTestFeatures(isIssued || targets.some((target) => accessRuleOf(target).test === true));
  const loginCaller = useLoginCaller();
  const serviceCaller = useServiceCaller({ enabled: isIssued && hasTestFeatures === true });
  const permissions = targets.map((target): Permission => {
    if (hasTestFeatures === false && (accessRuleOf(target).test === true || (isIssued && isInterfaceOperation(target))))
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

/** Undefined until it is known. A server that omits the settings has them on. */
function useTestFeatures(enabled: boolean): boolean | undefined {
  const { data } = useRead(['settings'], ({ control }, signal) => control.GET('/settings', { signal }), {
    enabled,
    // A restart changes them, and refetches everything.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return undefined;
  const { 'test-features': mode = 'auto', 'allow-remote': isRemote = false } = data;
  return mode === 'auto' ? !isRemote : mode === 'on';
}
