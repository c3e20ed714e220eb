/** The columns of the list of messages, with the code to copy. */
import { Badge, Code, Text, VisuallyHidden } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime, useServerNow } from '../../components/server-time.tsx';
import { formatCount } from '../../components/texts/format-count.ts';
import type { OpenedMessages } from './use-opened-messages.ts';

export type InboxMessage = ControlData<'/inbox'>[number];

/** Left out on the page of a user, which is narrower. */
export const purposeColumn: RowColumn<InboxMessage> = {
  title: 'Purpose',
  isOptional: true,
  width: 'minmax(9rem, 1fr)',
  render: ({ purpose }) => purpose,
};

export const createMessageColumns = ({ isUnread }: OpenedMessages): RowColumn<InboxMessage>[] => [
  {
    title: 'To',
    width: 'minmax(8rem, 2fr)',
    render: ({ id, to }) => (
      <Text component="span" inherit fw={isUnread(id) ? 600 : 400}>
        {/* Behind a long address, it would widen the list. */}
        {isUnread(id) ? <VisuallyHidden>(unread) </VisuallyHidden> : undefined}
        {to}
      </Text>
    ),
  },
  {
    title: 'Subject',
    isOptional: true,
    width: 'minmax(6.5rem, 1fr)',
    phone: 'detail',
    render: ({ subject, channel }) => subject ?? channel.toUpperCase(),
  },
  { title: 'Code', width: '11rem', phone: 'action', render: (message) => <MessageCode message={message} /> },
  purposeColumn,
  { title: 'Sent', width: '6rem', phone: 'detail', render: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { title: 'Code expires', isOptional: true, width: '12rem', render: (message) => <MessageState message={message} /> },
];

function MessageCode({ message: { code } }: { readonly message: InboxMessage }) {
  if (code === undefined) return undefined;
  return (
    <>
      <Code>{code}</Code> <CopyTextButton text={code} label="Copy" />
    </>
  );
}

interface MessageStateProps {
  readonly message: InboxMessage;
  /** Where the expiry is shown beside it. */
  readonly isWithoutExpiry?: boolean;
}

/** Whether the code can still be used: "in 9 min, 5 attempts left". */
export function MessageState({ message, isWithoutExpiry = false }: MessageStateProps) {
  const now = useServerNow();
  const { failure, supersededBy, expiresAt, attemptsLeft } = message;
  if (failure !== undefined) return <Badge color="red">Not delivered</Badge>;
  if (supersededBy !== undefined) return <Badge color="gray">Replaced</Badge>;
  if (expiresAt === undefined) return undefined;
  if (now !== undefined && Date.parse(expiresAt) <= now) return <Badge color="gray">Expired</Badge>;
  if (attemptsLeft === undefined) return <Badge color="gray">Used</Badge>;
  return (
    <>
      {isWithoutExpiry ? undefined : (
        <>
          <RelativeTime at={expiresAt} />,{' '}
        </>
      )}
      {formatCount(attemptsLeft, 'attempt')} left
    </>
  );
}
