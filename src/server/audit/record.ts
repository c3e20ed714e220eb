/** Records the audit event of a request, once. */
import { controlPrefix } from '../../contract/prefix.ts';
import { isAdministrativeRole, isAllowed, isReservedRole } from '../../contract/roles.ts';
import { isAdministrator } from '../directory/object-access.ts';
import { isClientItself, isStranger, type Principal } from '../directory/principal.ts';
import type { RequestState } from '../http/request-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { IssuedToken } from '../tokens/token-subject.ts';
import { type AuditLog, classOf } from './audit.ts';
import { buildAuditEvent } from './event.ts';
import type { AuditTrail } from './trail.ts';

interface AuditDeps {
  readonly audit: AuditLog | undefined;
  readonly auditTrail: AuditTrail;
  readonly clock: Clock;
  readonly settings: { readonly allowRemote: boolean };
  readonly sandbox: string | undefined;
  readonly isTenant: boolean;
}

/** @returns a promise that a response of the request must wait for, if any; see `AuditLog.record`. */
export function recordAuditEvent(state: RequestState, status: number, deps: AuditDeps): Promise<void> | undefined {
  const { audit, auditTrail, clock, settings, sandbox, isTenant } = deps;
  if (state.isAudited) return undefined;
  state.isAudited = true;
  const { describeChanges } = auditTrail;
  const event = buildAuditEvent(state, status, { clock, isRemote: settings.allowRemote, sandbox, describeChanges });
  if (!event) return undefined;
  // Administrators of the seed of the server may have been removed there since, and are still those of its sandboxes.
  const isForeign = isTenant || (sandbox !== undefined && settings.allowRemote);
  const origin = { network: state.source.network, isAnyone: isForeign || isAnyone(state, settings) };
  const recorded = auditTrail.add(event, classOf(event, origin));
  return audit?.record(recorded, origin);
}

/** What every authenticated client has, whatever it may do. */
const clientRoles: readonly string[] = ['CLI-AUTH-IDENTIFIED', 'CLI-AUTH-BASIC', 'CLI-1STPARTY'];

/** Whether anyone can cause such an event, any number of times: then it must not evict those of administrators. */
function isAnyone({ caller, issued, operation, path }: RequestState, { allowRemote }: AuditDeps['settings']): boolean {
  // The control plane of a loopback server requires no credentials: its changes count as administration.
  if (!allowRemote && path.startsWith(`${controlPrefix}/`)) return operation?.auth === 'none';
  // At the token endpoint the client is the caller, but anyone can have caused its failed request.
  if (issued === undefined && operation?.auth === 'none') return true;
  if (issued === undefined || caller?.user !== undefined) return isStranger(caller) || isSelfService(caller, operation);
  return !isPrivileged(issued);
}

/** Whether a user without an administrative role authenticates, or does what needs no role from a group. */
function isSelfService(caller: Principal | undefined, operation: RequestState['operation']): boolean {
  if (!caller || !operation || isClientItself(caller) || isAdministrator(caller)) return false;
  const roles = new Set([...caller.roles].filter(isReservedRole));
  return operation.audit.kind === 'authentication' || isAllowed(operation.roles, { roles, scope: caller.scope });
}

/** Whether the token is of a user with an administrative role, or of a first-party client with authorities of its own. */
function isPrivileged({ subject, roles }: IssuedToken): boolean {
  return subject.kind === 'client'
    ? !roles.includes('CLI-3RDPARTY') && !roles.every((role) => clientRoles.includes(role))
    : roles.some(isAdministrativeRole);
}
