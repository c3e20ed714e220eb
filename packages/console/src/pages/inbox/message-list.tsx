/** The messages, newest first, with the code to copy. */
import { Badge, Code } from '@mantine/core';
import type { paths } from '#control-api';
import type { usePagedList } from '../../api/use-paged-list.ts';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { RelativeTime, useServerNow } from '../../components/server-time.tsx';

export type InboxMessage = paths['/inbox']['get']['responses'][200]['content']['application/json'][number];

interface MessageListProps {
  readonly list: ReturnType<typeof usePagedList<InboxMessage>>;
  readonly openId: string | undefined;
  onOpen(id: string): void;
}

export function MessageList({ list, openId, onOpen }: MessageListProps) {
  const now = useServerNow();
  return (
    <RowList
      label="Messages"
      rows={list.items}
      columns={columnsAt(now)}
      keyOf={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      openKey={openId}
      loadMore={list.loadMore}
      onVisible={list.onVisible}
      isLoading={list.isLoading}
    />
  );
}

function columnsAt(now: number | undefined): RowColumn<InboxMessage>[] {
  return [
    { title: 'To', width: 'minmax(12rem, 2fr)', render: ({ to }) => to },
    { title: 'Code', width: '11rem', render: (message) => <MessageCode message={message} /> },
    { title: 'Purpose', width: 'minmax(9rem, 1fr)', render: ({ purpose }) => purpose },
    { title: 'Sent', width: '7rem', render: ({ createdAt }) => <RelativeTime at={createdAt} now={now} /> },
    { title: 'Code expires', width: '11rem', render: (message) => <MessageState message={message} now={now} /> },
  ];
}

function MessageCode({ message: { code } }: { readonly message: InboxMessage }) {
  if (code === undefined) return undefined;
  return (
    <>
      <Code>{code}</Code> <CopyTextButton text={code} label="Copy" />
    </>
  );
}

/** Whether the code can still be used. */
export function MessageState({ message, now }: { readonly message: InboxMessage; readonly now: number | undefined }) {
  const { failure, supersededBy, expiresAt, attemptsLeft } = message;
  if (failure !== undefined) return <Badge color="red">Not delivered</Badge>;
  if (supersededBy !== undefined) return <Badge color="gray">Replaced</Badge>;
  if (expiresAt === undefined) return undefined;
  if (now !== undefined && Date.parse(expiresAt) <= now) return <Badge color="gray">Expired</Badge>;
  if (attemptsLeft === undefined) return <Badge color="gray">Used</Badge>;
  return (
    <>
      <RelativeTime at={expiresAt} now={now} />, {attemptsLeft} attempts
    </>
  );
}
