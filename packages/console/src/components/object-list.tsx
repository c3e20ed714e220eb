/** A page with a list of objects that the server searches, sorts and pages; a row opens the page of the object. */
import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FetchResult } from '../api/errors.ts';
import { useListCount } from '../api/lists/use-list-count.ts';
import { usePagedList } from '../api/lists/use-paged-list.ts';
import type { RequestClients } from '../api/requests.ts';
import { usePage } from '../api/use-page.ts';
import { EmptyState, NoMatch } from './empty-state.tsx';
import { Equivalents, formatOptions, quotePositional } from './equivalents.tsx';
import type { IconName } from './icon.tsx';
import { ListCountText } from './lists/list-count.tsx';
import { PageTitle } from './page-title.tsx';
import { PagedRows, type RowColumn } from './row-list.tsx';
import { FilterLine, SearchInput } from './search-input.tsx';
import type { BulkActions } from './selection/bulk-action.ts';
import { useBulkActions } from './selection/use-bulk-actions.tsx';

interface ListQuery {
  readonly limit?: number;
  readonly after?: string;
  readonly search?: string;
  /** Of a column. The type of the parameter is another one for each list. */
  readonly sort?: never;
  readonly count?: true;
}

interface ObjectListProps<Row> {
  readonly title: string;
  readonly actions: ReactNode;
  /** Above the search. */
  readonly menu?: ReactNode;
  readonly searchLabel: string;
  /** The option of the search, if it is no argument. */
  readonly searchOption?: string;
  readonly columns: readonly RowColumn<Row>[];
  /** What can be done with selected rows. */
  readonly bulk?: BulkActions<Row>;
  /** Of the page: `businesses`. */
  readonly noun: IconName;
  /** The command without options. */
  readonly command: string;
  /** What would be here. */
  readonly emptyText: string;
  /** What the search looks in. */
  readonly searchText: string;
  /** A command that fills the list, without `iam`. */
  readonly createCommand: string;
  keyOf(row: Row): string;
  read(clients: RequestClients, query: ListQuery, signal?: AbortSignal): Promise<FetchResult<readonly Row[]>>;
}

export function ObjectList<Row>(props: ObjectListProps<Row>) {
  const { title, columns, noun, keyOf, read } = props;
  const navigate = useNavigate();
  const { search: given, setSearch } = usePage();
  const { search } = given;
  const sort = columns.some((column) => column.sort === given.sort?.replace(/^-/, '')) ? given.sort : undefined;
  const filters = { search, sort: sort as never };
  const list = usePagedList<Row>({
    queryKey: [noun, 'list', search, sort],
    read: (clients, query, signal) => read(clients, { ...query, ...filters }, signal),
  });
  const count = useListCount(list, {
    noun,
    filters: { search },
    read: (clients, query, signal) => read(clients, query, signal),
  });
  const { selection, renderBar } = useBulkActions({
    bulk: props.bulk,
    rows: list.items,
    scope: search ?? '',
  });
  const things = noun === 'api-keys' ? title : title.toLowerCase();
  return (
    <Stack gap="md" className="list-page">
      <PageTitle actions={props.actions}>{title}</PageTitle>
      {props.menu}
      <FilterLine
        status={renderBar(list.isReady && !list.error ? <ListCountText list={list} count={count} /> : undefined)}
      >
        <SearchInput label={props.searchLabel} value={search} onChange={(value) => setSearch({ search: value })} />
      </FilterLine>
      <PagedRows
        list={list}
        isCounted={false}
        empty={
          search === undefined ? (
            <EmptyState icon={noun} title={`No ${things} yet`} command={props.createCommand}>
              {props.emptyText}
            </EmptyState>
          ) : (
            <NoMatch icon={noun} things={things} filters={{ search }}>
              {props.searchText}
            </NoMatch>
          )
        }
        label={title}
        columns={columns}
        keyOf={keyOf}
        selection={selection}
        onOpen={(row) => void navigate({ to: `/${noun}/$`, params: { _splat: keyOf(row) } as never })}
        sort={sort}
        onSort={(value) => setSearch({ sort: value })}
      />
      <Equivalents
        command={`${props.command}${formatFilters(search, sort, props.searchOption)}`}
        call={(clients) => read(clients, filters)}
      />
    </Stack>
  );
}

function formatFilters(search: string | undefined, sort: string | undefined, searchOption: string | undefined): string {
  if (searchOption !== undefined) return formatOptions({ [searchOption]: search, sort });
  return `${formatOptions({ sort })}${search === undefined ? '' : ` ${quotePositional(search)}`}`;
}
