/** The inbox: every code and notice that the service sent, as it is sent. */
import { Group, Select, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { usePage } from '../../api/use-page.ts';
import { usePagedList } from '../../api/use-paged-list.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quoteShellArgument } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { MessageDrawer } from './message-drawer.tsx';
import { MessageList } from './message-list.tsx';

export default function InboxPage() {
  return (
    <PermittedArea operation="GET /_iam/inbox" title="Inbox" content="messages and their codes">
      <Inbox />
    </PermittedArea>
  );
}

function Inbox() {
  const { control } = useConsole();
  const { search, setSearch } = usePage();
  const { to, purpose, message: openId } = search;
  const list = usePagedList({
    queryKey: ['inbox', to, purpose],
    read: (query, signal) => control.GET('/inbox', { params: { query: { ...query, to, purpose } }, signal }),
  });
  const purposes = [...new Set(list.items.map((item) => item.purpose))].sort();
  return (
    <Stack gap="md">
      <PageTitle actions={<ClearButton isEmpty={list.items.length === 0} />}>Inbox</PageTitle>
      <Group align="flex-end" gap="sm">
        <SearchInput label="Address or number" value={to} onChange={(value) => setSearch({ to: value })} />
        <Select
          label="Purpose"
          data={purpose !== undefined && !purposes.includes(purpose) ? [purpose, ...purposes] : purposes}
          value={purpose ?? null}
          onChange={(value) => setSearch({ purpose: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'All purposes' }}
        />
      </Group>
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && list.items.length === 0 ? (
        <EmptyState
          title={to === undefined && purpose === undefined ? 'No messages yet' : 'No message matches'}
          command="iam inbox wait --to alice@example.com"
        >
          A message appears here as soon as the service sends one, for example with a second factor or a new password.
        </EmptyState>
      ) : undefined}
      {list.items.length > 0 ? (
        <MessageList list={list} openId={openId} onOpen={(id) => setSearch({ message: id })} />
      ) : undefined}
      <Equivalents
        command={`inbox list${to === undefined ? '' : ` --to ${quoteShellArgument(to)}`}${purpose === undefined ? '' : ` --purpose ${quoteShellArgument(purpose)}`}`}
        call={{ path: `/_iam/inbox${formatQuery({ to, purpose })}` }}
      />
      <MessageDrawer
        message={list.items.find(({ id }) => id === openId)}
        onClose={() => setSearch({ message: undefined })}
      />
    </Stack>
  );
}

function formatQuery(values: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function ClearButton({ isEmpty }: { readonly isEmpty: boolean }) {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const clear = useMutation({
    mutationFn: () => unwrap(control.DELETE('/inbox')),
    onSuccess: () => {
      dialog.close();
      return queryClient.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
  return (
    <>
      <PermittedButton operation="DELETE /_iam/inbox" variant="default" disabled={isEmpty} onClick={dialog.open}>
        Clear the inbox
      </PermittedButton>
      <ConfirmDialog
        title="Clear the inbox"
        isOpen={isOpen}
        confirmLabel="Delete all messages"
        isPending={clear.isPending}
        error={clear.error}
        onConfirm={() => clear.mutate()}
        onCancel={dialog.close}
      >
        All messages are deleted, also those that the filter hides. Their codes stay valid until they expire.
        <Equivalents command="inbox clear --yes" call={{ method: 'DELETE', path: '/_iam/inbox' }} />
      </ConfirmDialog>
    </>
  );
}
