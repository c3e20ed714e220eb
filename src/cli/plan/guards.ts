/** Lockout guards: detects that the caller or the last administrator would lose access. Pure. */

import type { AnyChange } from './model/changes.ts';
import type { PlanCaller, RemoteState } from './model/remote-state.ts';
import { collectHeldRoles, type HeldRoleChange, type HeldRoles, type RoleEffect } from './role-effects.ts';

export interface LockoutGuards {
  /** Administrative roles that the caller would lose. */
  readonly callerLoses: readonly string[];
  /** Whether no known administrator would remain. */
  readonly lastAdministrator: boolean;
  /** Subjects that would lose an administrative role: `user u1`. */
  readonly administratorsLose: readonly string[];
}

export const administrativeRoles: readonly string[] = ['ADMIN', 'IAM_ADMIN_MAINTENANCE'];

/** Compares the roles before and after the plan. */
export function evaluateGuards(
  held: HeldRoleChange | undefined,
  effects: readonly RoleEffect[],
  changes: readonly AnyChange[],
  state: RemoteState,
  caller: PlanCaller,
): LockoutGuards {
  const administratorsLose = effects
    .filter(({ loses }) => loses.some((role) => administrativeRoles.includes(role)))
    .map(({ kind, id }) => `${kind} ${id}`);
  if (!held) return { callerLoses: [], lastAdministrator: false, administratorsLose };
  const { before, after } = held;
  const isRemoved = changes.some(
    ({ kind, action, id }) => kind === 'client' && action === 'delete' && id === caller.clientId,
  );
  const lost = [...collectCallerRoles(caller, before, state)].filter(
    (role) => !collectCallerRoles(caller, after, state).has(role),
  );
  return {
    callerLoses:
      isRemoved && caller.userId === undefined
        ? administrativeRoles
        : lost.filter((role) => administrativeRoles.includes(role)),
    lastAdministrator: hasAdministrator(before) && !hasAdministrator(after),
    administratorsLose,
  };
}

function collectCallerRoles(
  { userId, businessId, serviceId, authorities }: PlanCaller,
  holdings: HeldRoles,
  state: RemoteState,
): Set<string> {
  if (userId === undefined)
    return new Set([
      ...(authorities ?? []),
      ...(serviceId === undefined ? [] : (holdings.get(`service ${serviceId}`) ?? [])),
    ]);
  const own = collectHeldRoles(holdings, `user ${userId}`, state.users);
  return new Set([...own, ...(businessId === undefined ? [] : (holdings.get(`business ${businessId}`) ?? []))]);
}

/** Services do not count, as on the server: an administrator must be able to sign in. */
function hasAdministrator(holdings: HeldRoles): boolean {
  return [...holdings].some(([holder, roles]) => !holder.startsWith('service ') && roles.has('IAM_ADMIN_MAINTENANCE'));
}
