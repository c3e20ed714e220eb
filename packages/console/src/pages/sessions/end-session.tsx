/** Ends one session, after a confirmation that names its user. */
import { Stack, Text } from '@mantine/core';
import { unwrap } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useChanged } from '../../api/use-changed.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { useWrite } from '../../components/forms/use-write.ts';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { formatTime } from '../../components/server-time.tsx';
import { Subject } from '../../components/subject.tsx';
import type { ListedSession } from './bulk-sessions.tsx';
import { sessionQueries } from './end-sessions.tsx';

interface EndSessionButtonProps {
  readonly session: ListedSession;
  onClick(session: ListedSession): void;
}

export function EndSessionButton({ session, onClick }: EndSessionButtonProps) {
  return (
    <PermittedButton
      operation="DELETE /_iam/sessions"
      variant="default"
      size="compact-sm"
      aria-label={`End ${session.sessionId}`}
      onClick={() => onClick(session)}
    >
      End
    </PermittedButton>
  );
}

interface EndSessionDialogProps {
  /** Remains while the dialog closes. */
  readonly session: ListedSession | undefined;
  readonly isOpen: boolean;
  onClose(): void;
}

/** Outside the list, so that it remains open when the list is read again without the session. */
export function EndSessionDialog({ session, isOpen, onClose }: EndSessionDialogProps) {
  const changed = useChanged(sessionQueries);
  const { sessionId = '' } = session ?? {};
  const endSession: ApiRequest = ({ control }) => control.DELETE('/sessions', { params: { query: { sessionId } } });
  const end = useWrite({
    changed,
    send: (clients) => unwrap(endSession(clients)),
    onSuccess: async () => {
      onClose();
      await changed();
    },
  });
  const cancel = () => {
    end.cancel();
    end.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      title={`End the session ${sessionId}`}
      isOpen={isOpen}
      confirmLabel="End the session"
      isPending={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onCancel={cancel}
    >
      <Stack gap="xs">
        {session === undefined ? undefined : <AffectedSession session={session} />}
        <Equivalents command={`sessions end --yes ${quotePositional(sessionId)}`} call={endSession} />
      </Stack>
    </ConfirmDialog>
  );
}

function AffectedSession({ session }: { readonly session: ListedSession }) {
  const { userId, userName, logon, clientId, clientName, kind, startedAt, renewable } = session;
  return (
    <Text>
      The session of{' '}
      {userId === undefined ? <bdi>{logon}</bdi> : <Subject kind="user" id={userId} name={userName} isPlain />} through{' '}
      <Subject kind="client" id={clientId} name={clientName} isPlain />, started at {formatTime(startedAt)}, ends. Its
      access tokens are rejected from the next request on
      {renewable ? ', and its refresh token is revoked' : ''}.
      {kind === 'browser' ? ' The sessions of the applications that this browser led to end too.' : ''}
    </Text>
  );
}
