/** The columns of the list of messages, with the code to copy. */
import { Badge, Code, Group, Text, VisuallyHidden } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import type { RowColumn } from '../../components/row-list.tsx';
import { RelativeTime, useServerNow } from '../../components/server-time.tsx';
import type { OpenedMessages } from './use-opened-messages.ts';

export type InboxMessage = ControlData<'/inbox'>[number];

/** Left out on the page of a user, which is narrower. */
export const purposeColumn: RowColumn<InboxMessage> = {
  title: 'Purpose',
  isOptional: true,
  width: 'minmax(8rem, 1fr)',
  render: ({ purpose }) => purpose,
};

export const createMessageColumns = ({ isUnread }: OpenedMessages): RowColumn<InboxMessage>[] => [
  {
    title: 'To',
    width: 'minmax(9rem, 2fr)',
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
    width: 'minmax(6rem, 1fr)',
    phone: 'detail',
    render: ({ subject, channel }) => subject ?? channel.toUpperCase(),
  },
  { title: 'Code', width: '8.5rem', phone: 'end', render: (message) => <MessageCode message={message} /> },
  purposeColumn,
  { title: 'Sent', width: '5rem', phone: 'detail', render: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    title: 'Code expires',
    width: 'minmax(5.5rem, 1.4fr)',
    phone: 'detailEnd',
    render: (message) => <MessageState message={message} />,
  },
];

function MessageCode({ message }: { readonly message: InboxMessage }) {
  const { code } = message;
  const now = useServerNow();
  if (code === undefined) return undefined;
  if (describeEnd(message, now) !== undefined)
    return (
      <Code c="dimmed" td="line-through">
        {code}
      </Code>
    );
  return (
    <Group gap={4}>
      <Code>{code}</Code>
      <CopyTextButton text={code} label="Copy" />
    </Group>
  );
}

interface MessageStateProps {
  readonly message: InboxMessage;
  /** Where the expiry is shown beside it. */
  readonly isWithoutExpiry?: boolean;
}

/** Why the code cannot be used any more. */
function describeEnd({ used, supersededBy, expiresAt, attemptsLeft }: InboxMessage, now: number | undefined) {
  if (used) return 'Used';
  if (supersededBy !== undefined) return 'Replaced';
  if (expiresAt === undefined) return undefined;
  if (now !== undefined && Date.parse(expiresAt) <= now) return 'Expired';
  return attemptsLeft === undefined ? 'Revoked' : undefined;
}

/** Whether the code can still be used: "in 9 min, 5 attempts left", in a narrow list "5 left". */
export function MessageState({ message, isWithoutExpiry = false }: MessageStateProps) {
  const now = useServerNow();
  const { failure, expiresAt, attemptsLeft } = message;
  if (failure !== undefined) return <Badge color="red">Not delivered</Badge>;
  const end = describeEnd(message, now);
  if (end !== undefined) return <Badge color="gray">{end}</Badge>;
  if (expiresAt === undefined || attemptsLeft === undefined) return undefined;
  return (
    <>
      {isWithoutExpiry ? undefined : (
        <span className="row-wide">
          <RelativeTime at={expiresAt} />,{' '}
        </span>
      )}
      {attemptsLeft} <span className="row-wide">{attemptsLeft === 1 ? 'attempt' : 'attempts'} </span>left
    </>
  );
}
