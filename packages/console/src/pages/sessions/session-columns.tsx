/** The columns of the list of sessions. */
import { Badge, Text } from '@mantine/core';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime } from '../../components/server-time.tsx';
import { CopyId, Subject } from '../../components/subject.tsx';
import { shortenId } from '../../components/subject-id.ts';
import type { ListedSession } from './bulk-sessions.tsx';
import { EndSessionButton } from './end-session.tsx';

export function listSessionColumns(onEnd: (session: ListedSession) => void): RowColumn<ListedSession>[] {
  return [
    { title: 'User', width: 'minmax(9rem, 2fr)', render: (session) => <SessionUser session={session} /> },
    {
      title: 'Client',
      width: 'minmax(9rem, 2fr)',
      phone: 'detail',
      render: ({ clientId, clientName }) => <Subject kind="client" id={clientId} name={clientName} />,
    },
    { title: 'Level', width: '8rem', phone: 'end', render: ({ level }) => <SessionLevel level={level} /> },
    {
      title: 'Kind',
      isOptional: true,
      width: 'minmax(7.5rem, 1fr)',
      render: (session) => <bdi>{describeKind(session)}</bdi>,
    },
    { title: 'Started', sort: 'startedAt', width: '6rem', render: ({ startedAt }) => <RelativeTime at={startedAt} /> },
    {
      title: 'Ends',
      sort: 'endsAt',
      width: '5.5rem',
      phone: 'detailEnd',
      render: ({ endsAt }) => <RelativeTime at={endsAt} />,
    },
    {
      title: 'Session',
      isOptional: true,
      width: '7.5rem',
      phone: 'detail',
      render: ({ sessionId }) => <CopyId id={sessionId}>{shortenId(sessionId)}</CopyId>,
    },
    {
      title: 'Action',
      width: '3.5rem',
      phone: 'action',
      render: (session) => <EndSessionButton session={session} onClick={onEnd} />,
    },
  ];
}

/** A session without a proven level stands back. */
export function SessionLevel({ level }: { readonly level: string }) {
  if (level !== 'NONE') return <Badge color="gray">{level}</Badge>;
  return (
    <Text span size="xs" c="dimmed">
      {level}
    </Text>
  );
}

function SessionUser({ session: { userId, userName, logon } }: { readonly session: ListedSession }) {
  if (userId !== undefined) return <Subject kind="user" id={userId} name={userName} />;
  return <bdi>{logon === undefined ? '' : `Logon ${logon}`}</bdi>;
}

/** Whether it is that of a browser or of an application that a browser led to, how long it lasts and who can renew it: "remembered, renewable, Alice's phone". */
function describeKind({ kind, remember, renewable, device }: ListedSession): string {
  if (kind === 'browser') return 'browser';
  const words = [
    kind === 'application' ? 'application' : undefined,
    remember ? 'remembered' : undefined,
    renewable ? 'renewable' : undefined,
    device === undefined ? undefined : (device.deviceName ?? device.deviceId),
  ];
  return words.filter((word) => word !== undefined).join(', ');
}
