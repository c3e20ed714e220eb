/** The messages to the contacts of a user: a tab of its page. */
import { useNavigate } from '@tanstack/react-router';
import { usePagedList } from '../../api/lists/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { quoteShellArgument } from '../../components/equivalents.tsx';
import type { ObjectTab } from '../../components/object-page.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { createMessageColumns, purposeColumn } from './message-columns.tsx';
import { useOpenedMessages } from './use-opened-messages.ts';

export function buildMessagesTab(userId: string): ObjectTab {
  return {
    name: 'messages',
    title: 'Messages',
    command: `inbox list --user-id ${quoteShellArgument(userId)}`,
    call: ({ control }) => control.GET('/inbox', { params: { query: { userId } } }),
    render: () => (
      <PermittedArea operation="GET /_iam/inbox" content="messages and their codes">
        <UserMessages userId={userId} />
      </PermittedArea>
    ),
  };
}

function UserMessages({ userId }: { readonly userId: string }) {
  const navigate = useNavigate();
  const opened = useOpenedMessages();
  const list = usePagedList({
    queryKey: ['inbox', 'of', userId],
    read: ({ control }, query, signal) => control.GET('/inbox', { params: { query: { ...query, userId } }, signal }),
  });
  return (
    <PagedRows
      list={list}
      empty={
        <EmptyState icon="inbox" title="No messages yet">
          Codes and notices to the present addresses and numbers of the user appear here.
        </EmptyState>
      }
      label="Messages"
      columns={createMessageColumns(opened).filter((column) => column !== purposeColumn)}
      keyOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/inbox/$', params: { _splat: id } as never })}
    />
  );
}
