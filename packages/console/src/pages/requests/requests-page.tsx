/** The request log: what was called, by whom, and why it was rejected. */
import { ActionIcon, Button, Menu, Stack } from '@mantine/core';
import type { paths as ControlPaths } from '#control-api';
import { useLiveList } from '../../api/lists/use-live-list.ts';
import { usePage } from '../../api/use-page.ts';
import { useRowPanel } from '../../api/use-row-panel.ts';
import { EmptyState, NoMatch } from '../../components/empty-state.tsx';
import { Equivalents, formatOptions } from '../../components/equivalents.tsx';
import { Icon } from '../../components/icon.tsx';
import { LiveControls } from '../../components/live/live-controls.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { ListWithPanel } from '../../components/panel/list-with-panel.tsx';
import { PagedRows } from '../../components/row-list.tsx';
import { type LoggedRequest, requestColumns } from './request-columns.tsx';
import { RequestDetailView } from './request-detail.tsx';
import { RequestFilterFields } from './request-filters.tsx';

const consoleInterval = 2000;

type RequestQuery = NonNullable<ControlPaths['/requests']['get']['parameters']['query']>;

const keyOf = ({ id }: LoggedRequest) => id;

export default function RequestsPage() {
  const { rest, search, setSearch } = usePage();
  const { operation, caller, status, error, flow } = search;
  const withConsole = search.console === 'true';
  // The server refuses what is no operation or code.
  const filters = { operation, caller, status, error, flow } as Pick<
    RequestQuery,
    'operation' | 'caller' | 'status' | 'error' | 'flow'
  >;
  const ownRequests = withConsole ? { console: true } : {};
  const list = useLiveList({
    keyOf,
    isRowOpen: rest !== undefined,
    queryKey: ['requests', filters, withConsole],
    read: ({ control }, query, signal) =>
      control.GET('/requests', { params: { query: { ...query, ...filters, ...ownRequests } }, signal }),
    // Reads of the console are no events.
    refetchInterval: withConsole ? consoleInterval : undefined,
  });
  const panel = useRowPanel({ path: '/requests', rows: list.items, keyOf });
  return (
    <Stack gap="md" className="list-page">
      <PageTitle
        actions={
          <ViewMenu
            withConsole={withConsole}
            onChange={(isShown) => setSearch({ console: isShown ? 'true' : undefined })}
          />
        }
      >
        Requests
      </PageTitle>
      <RequestFilterFields values={filters} onChange={(changes) => setSearch({ ...changes })}>
        {flow === undefined ? undefined : (
          <Button
            variant="light"
            rightSection={<Icon name="close" />}
            title="Show the requests of all logins"
            onClick={() => setSearch({ flow: undefined })}
          >
            One login
          </Button>
        )}
        <LiveControls list={list} filters={filters} />
      </RequestFilterFields>
      <ListWithPanel
        title="Request"
        panel={panel}
        detail={rest === undefined ? undefined : <RequestDetailView id={rest} />}
      >
        <PagedRows
          list={list}
          empty={<NoRequests filters={filters} />}
          label="Requests"
          columns={requestColumns}
          keyOf={keyOf}
          panel={panel}
          isCounted={false}
        />
      </ListWithPanel>
      {panel.openKey === undefined ? (
        <Equivalents
          command={`requests list${formatOptions(filters)}${withConsole ? ' --console' : ''}`}
          call={({ control }) => control.GET('/requests', { params: { query: { ...filters, ...ownRequests } } })}
        />
      ) : undefined}
    </Stack>
  );
}

interface ViewMenuProps {
  readonly withConsole: boolean;
  onChange(withConsole: boolean): void;
}

/** What is rarely shown. */
function ViewMenu({ withConsole, onChange }: ViewMenuProps) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label="View">
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxItem checked={withConsole} onChange={onChange}>
          Show the console's own
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}

function NoRequests({ filters }: { readonly filters: Readonly<Record<string, string | undefined>> }) {
  if (Object.values(filters).some((value) => value !== undefined))
    return (
      <NoMatch icon="requests" things="requests" filters={filters}>
        The log contains the last requests only; a restart deletes them.
      </NoMatch>
    );
  return (
    <EmptyState icon="requests" title="No requests yet" command="groups list">
      A request to the service appears here as soon as the response is sent. Those to the control plane are not listed.
    </EmptyState>
  );
}
