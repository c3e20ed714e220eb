/** Records the audit event of a request, once. */
import { controlPrefix } from '../../contract/prefix.ts';
import { isUnprivileged } from '../directory/principal.ts';
import type { RequestState } from '../http/request-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { AuditLog } from './audit.ts';
import { buildAuditEvent } from './event.ts';

interface AuditDeps {
  readonly audit: AuditLog | undefined;
  readonly clock: Clock;
  readonly settings: { readonly allowRemote: boolean };
  readonly sandbox: string | undefined;
}

/** @returns a promise that a response of the request must wait for, if any; see `AuditLog.record`. */
export function recordAuditEvent(
  state: RequestState,
  status: number,
  { audit, clock, settings, sandbox }: AuditDeps,
): Promise<void> | undefined {
  if (!audit || state.isAudited) return undefined;
  state.isAudited = true;
  const event = buildAuditEvent(state, status, { clock, isRemote: settings.allowRemote, sandbox });
  return event && audit.record(event, { network: state.source.network, isAnyone: isAnyone(state) });
}

function isAnyone({ caller, loggedIn, issued, path }: RequestState): boolean {
  // Logins go to the main audit log: off loopback, the growth limit bounds how many an anonymous caller can cause.
  const isLogin = loggedIn !== undefined || (issued !== undefined && caller?.user === undefined);
  // The control plane of a loopback server requires no credentials: its changes count as administration.
  return !isLogin && !path.startsWith(`${controlPrefix}/`) && isUnprivileged(caller);
}
