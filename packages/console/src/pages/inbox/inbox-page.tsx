/** The inbox: every code and notice that the service sent, as it is sent. */
import { Select, Stack } from '@mantine/core';
import { usePage } from '../../api/use-page.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions } from '../../components/equivalents.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { FilterLine, SearchInput } from '../../components/search-input.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import { messageColumns } from './message-columns.tsx';
import { MessageDrawer } from './message-drawer.tsx';

export default function InboxPage() {
  return (
    <PermittedArea operation="GET /_iam/inbox" title="Inbox" content="messages and their codes">
      <Inbox />
    </PermittedArea>
  );
}

function Inbox() {
  const { search, setSearch } = usePage();
  const { to, purpose, message: openId } = search;
  const list = usePagedList({
    queryKey: ['inbox', to, purpose],
    read: ({ control }, query, signal) =>
      control.GET('/inbox', { params: { query: { ...query, to, purpose } }, signal }),
  });
  const purposes = [...new Set(list.items.map((item) => item.purpose))].sort();
  return (
    <Stack gap="md">
      <PageTitle actions={<ClearButton isEmpty={list.items.length === 0} />}>Inbox</PageTitle>
      <FilterLine>
        <SearchInput label="Address or number" value={to} onChange={(value) => setSearch({ to: value })} />
        <Select
          aria-label="Purpose"
          placeholder="Purpose"
          data={purpose !== undefined && !purposes.includes(purpose) ? [purpose, ...purposes] : purposes}
          value={purpose ?? null}
          onChange={(value) => setSearch({ purpose: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'All purposes' }}
        />
      </FilterLine>
      <PagedRows
        list={list}
        empty={
          <EmptyState
            title={to === undefined && purpose === undefined ? 'No messages yet' : 'No message matches'}
            command="iam inbox wait --to alice@example.com"
          >
            A message appears here as soon as the service sends one, for example with a second factor or a new password.
          </EmptyState>
        }
        label="Messages"
        columns={messageColumns}
        keyOf={({ id }) => id}
        onOpen={({ id }) => setSearch({ message: id })}
        openKey={openId}
      />
      <Equivalents
        command={`inbox list${formatOptions({ to, purpose })}`}
        call={({ control }) => control.GET('/inbox', { params: { query: { to, purpose } } })}
      />
      <MessageDrawer
        message={list.items.find(({ id }) => id === openId)}
        onClose={() => setSearch({ message: undefined })}
      />
    </Stack>
  );
}

function ClearButton({ isEmpty }: { readonly isEmpty: boolean }) {
  return (
    <WriteAction
      operation="DELETE /_iam/inbox"
      label="Clear the inbox"
      isDisabled={isEmpty}
      isDangerous
      title="Clear the inbox"
      confirmLabel="Delete all messages"
      command="inbox clear --yes"
      request={({ control }) => control.DELETE('/inbox')}
      changes={['inbox']}
    >
      All messages are deleted, also those that the filter hides. Their codes stay valid until they expire.
    </WriteAction>
  );
}
