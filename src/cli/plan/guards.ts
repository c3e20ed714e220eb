/** What a plan does to those who administer the service: the caller, and the last of them. Pure. */
import type { AnyChange } from './changes.ts';
import { type Holdings, holdingsOf, type Reach, type RoleEffect, rolesHeld } from './role-effects.ts';
import type { State } from './state.ts';

/** Who applies the plan, as far as its token tells. */
export interface Caller {
  readonly userId?: string | undefined;
  readonly businessId?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly clientId?: string | undefined;
  /** Authorities that the calling client has by itself, whatever groups say. */
  readonly authorities?: readonly string[] | undefined;
}

export interface Guards {
  /** Administrative roles that the caller would lose. */
  readonly callerLoses: readonly string[];
  /** Nobody who is known would be left who can administer the service. */
  readonly lastAdministrator: boolean;
  /** Who would lose an administrative role: `user u1`. */
  readonly administratorsLose: readonly string[];
}

export const administrativeRoles: readonly string[] = ['ADMIN', 'IAM_ADMIN_MAINTENANCE'];

/** Looks at the roles before and after. */
export function guardsOf(
  reach: Reach | undefined,
  effects: readonly RoleEffect[],
  changes: readonly AnyChange[],
  state: State,
  caller: Caller,
): Guards {
  const administratorsLose = effects
    .filter(({ loses }) => loses.some((role) => administrativeRoles.includes(role)))
    .map(({ kind, id }) => `${kind} ${id}`);
  if (!reach) return { callerLoses: [], lastAdministrator: false, administratorsLose };
  const [before, after] = [holdingsOf(reach.before), holdingsOf(reach.after)];
  const isRemoved = changes.some(
    ({ kind, action, id }) => kind === 'client' && action === 'delete' && id === caller.clientId,
  );
  const lost = [...callerRoles(caller, before, state)].filter((role) => !callerRoles(caller, after, state).has(role));
  return {
    callerLoses:
      isRemoved && caller.userId === undefined
        ? administrativeRoles
        : lost.filter((role) => administrativeRoles.includes(role)),
    lastAdministrator: hasAdministrator(before) && !hasAdministrator(after),
    administratorsLose,
  };
}

function callerRoles(
  { userId, businessId, serviceId, authorities }: Caller,
  holdings: Holdings,
  state: State,
): Set<string> {
  if (userId === undefined)
    return new Set([
      ...(authorities ?? []),
      ...(serviceId === undefined ? [] : (holdings.get(`service ${serviceId}`) ?? [])),
    ]);
  const own = rolesHeld(holdings, `user ${userId}`, state.users);
  return new Set([...own, ...(businessId === undefined ? [] : (holdings.get(`business ${businessId}`) ?? []))]);
}

/** Services do not count, as with the server: somebody has to be able to sign in. */
function hasAdministrator(holdings: Holdings): boolean {
  return [...holdings].some(([holder, roles]) => !holder.startsWith('service ') && roles.has('IAM_ADMIN_MAINTENANCE'));
}
