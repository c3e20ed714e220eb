/** The inbox: every code and notice that the service sent, as it is sent. */
import { Select, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { useFirstUsers } from '../../api/lists/use-first-users.ts';
import { useLiveList } from '../../api/lists/use-live-list.ts';
import { usePage } from '../../api/use-page.ts';
import { useRowPanel } from '../../api/use-row-panel.ts';
import { EmptyState, NoMatch } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions, quoteShellArgument } from '../../components/equivalents.tsx';
import { FirstUsers } from '../../components/lists/first-users.tsx';
import { LiveControls } from '../../components/live/live-controls.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { ListWithPanel } from '../../components/panel/list-with-panel.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { createMessageColumns, type InboxMessage } from './message-columns.tsx';
import { MessageDetail } from './message-detail.tsx';
import { useOpenedMessages } from './use-opened-messages.ts';

export default function InboxPage() {
  return (
    <PermittedArea operation="GET /_iam/inbox" title="Inbox" content="messages and their codes">
      <Inbox />
    </PermittedArea>
  );
}

const keyOf = ({ id }: InboxMessage) => id;

function Inbox() {
  const { rest: openId, search, setSearch } = usePage();
  const { to, purpose, text } = search;
  const opened = useOpenedMessages();
  const list = useLiveList({
    keyOf,
    isRowOpen: openId !== undefined,
    queryKey: ['inbox', to, purpose, text],
    read: ({ control }, query, signal) =>
      control.GET('/inbox', { params: { query: { ...query, to, purpose, text } }, signal }),
  });
  const panel = useRowPanel({ path: '/inbox', rows: list.items, keyOf });
  const { markRead } = opened;
  useEffect(() => {
    if (openId !== undefined) markRead(openId);
  }, [openId, markRead]);
  const purposes = [...new Set(list.items.map((item) => item.purpose))].sort();
  return (
    <Stack gap="md" className="list-page">
      <PageTitle actions={<ClearButton isEmpty={list.items.length === 0} />}>Inbox</PageTitle>
      <FilterLine filters={{ purpose, text }}>
        <SearchInput label="Address or number" value={to} onChange={(value) => setSearch({ to: value })} />
        <SearchInput label="Subject or text" value={text} onChange={(value) => setSearch({ text: value })} />
        <Select
          aria-label="Purpose"
          placeholder="Purpose"
          data={purpose !== undefined && !purposes.includes(purpose) ? [purpose, ...purposes] : purposes}
          value={purpose ?? null}
          onChange={(value) => setSearch({ purpose: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'All purposes' }}
        />
        <LiveControls list={list} filters={{ to, purpose, text }} />
      </FilterLine>
      <ListWithPanel
        title="Message"
        panel={panel}
        detail={list.isReady ? <MessageDetail message={list.items.find(({ id }) => id === openId)} /> : undefined}
      >
        <PagedRows
          list={list}
          empty={<NoMessages filters={{ to, purpose, text }} />}
          label="Messages"
          columns={createMessageColumns(opened)}
          keyOf={keyOf}
          panel={panel}
          isCounted={false}
        />
      </ListWithPanel>
      {panel.openKey === undefined ? (
        <Equivalents
          command={`inbox list${formatOptions({ to, purpose, text })}`}
          call={({ control }) => control.GET('/inbox', { params: { query: { to, purpose, text } } })}
        />
      ) : undefined}
    </Stack>
  );
}

function NoMessages({ filters }: { readonly filters: Readonly<Record<string, string | undefined>> }) {
  const address = useFirstUsers()?.find(({ userEmail }) => userEmail !== undefined)?.userEmail;
  if (Object.values(filters).some((value) => value !== undefined))
    return <NoMatch icon="inbox" things="messages" filters={filters} />;
  return (
    <EmptyState
      icon="inbox"
      title="No messages yet"
      command={`inbox wait --to ${quoteShellArgument(address ?? 'alice@example.com')}`}
    >
      A code or a notice appears here as soon as the service sends it: for a second factor, a new password, a changed
      address.
      <FirstUsers />
    </EmptyState>
  );
}

function ClearButton({ isEmpty }: { readonly isEmpty: boolean }) {
  return (
    <WriteAction
      operation="DELETE /_iam/inbox"
      label="Clear the inbox"
      disabledReason={isEmpty ? 'The inbox is empty.' : undefined}
      isDangerous
      title="Clear the inbox"
      confirmLabel="Delete all messages"
      done="Deleted all messages."
      command="inbox clear --yes"
      request={({ control }) => control.DELETE('/inbox')}
      changes={['inbox']}
    >
      All messages are deleted, also those that the filter hides. Their codes stay valid until they expire.
    </WriteAction>
  );
}
