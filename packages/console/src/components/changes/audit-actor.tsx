/** Who caused an event of the audit log, by name. */

import { useLogin } from '../../api/caller.ts';
import type { ControlData } from '../../api/clients.ts';
import { Subject } from '../subject.tsx';

export type ShownEvent = ControlData<'/audit'>[number];

interface AuditActorProps {
  readonly event: ShownEvent;
  /** See `Subject`. */
  readonly isPlain?: boolean;
}

export function AuditActor({ event: { actor, operation = '', byConsole }, isPlain = false }: AuditActorProps) {
  const { kind, userId, clientId, logon, name } = actor;
  const login = useLogin();
  // Without a login, what the page sends has a client or no caller at all, by the operation.
  if (byConsole && login === undefined) return 'the console';
  if (userId !== undefined) return <Subject kind="user" id={userId} name={name} isPlain={isPlain} />;
  if (clientId !== undefined && kind === 'client')
    return <Subject kind="client" id={clientId} name={name} isPlain={isPlain} />;
  if (kind !== 'anonymous') return <bdi>{logon ?? kind}</bdi>;
  // A server without remote access asks for no credentials there.
  if (!operation.startsWith('control.')) return 'not signed in';
  return 'this machine';
}
