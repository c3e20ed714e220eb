/** A page with a list of objects that the server searches, sorts and pages; a row opens the page of the object. */
import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePage } from '../api/use-page.ts';
import { type PagedListOptions, usePagedList } from '../api/use-paged-list.ts';
import { Equivalents, quoteShellArgument } from './equivalents.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { PageTitle } from './page-title.tsx';
import { type RowColumn, RowList } from './row-list.tsx';
import { SearchInput } from './search-input.tsx';

interface ListFilters {
  readonly search?: string;
  readonly sort?: string;
}

interface ObjectListProps<Row> {
  readonly title: string;
  readonly actions: ReactNode;
  readonly searchLabel: string;
  /** The parameter and option of the search. */
  readonly searchName?: 'search' | 'name';
  readonly columns: readonly RowColumn<Row>[];
  /** Of the console and the command: `businesses`. */
  readonly noun: string;
  /** Below the base URL. */
  readonly path: string;
  /** The command without options, if it is not the list of the noun. */
  readonly command?: string;
  keyOf(row: Row): string;
  read(
    filters: ListFilters,
    ...request: Parameters<PagedListOptions<Row>['read']>
  ): ReturnType<PagedListOptions<Row>['read']>;
  renderEmpty(search: string | undefined): ReactNode;
}

export function ObjectList<Row>(props: ObjectListProps<Row>) {
  const { title, searchLabel, searchName = 'search', columns, noun, path, keyOf, read, renderEmpty } = props;
  const { command = `${noun} list` } = props;
  const navigate = useNavigate();
  const { search: given, setSearch } = usePage();
  const { search } = given;
  const sort = columns.some((column) => column.sort === given.sort?.replace(/^-/, '')) ? given.sort : undefined;
  const filters = { ...(search === undefined ? {} : { search }), ...(sort === undefined ? {} : { sort }) };
  const list = usePagedList<Row>({
    queryKey: [noun, 'list', search, sort],
    read: (query, signal) => read(filters, query, signal),
  });
  return (
    <Stack gap="md">
      <PageTitle actions={props.actions}>{title}</PageTitle>
      <SearchInput label={searchLabel} value={search} onChange={(value) => setSearch({ search: value })} />
      {list.error ? <ErrorPanel error={list.error} onRetry={list.refetch} /> : undefined}
      {list.isReady && list.items.length === 0 ? renderEmpty(search) : undefined}
      {list.items.length > 0 ? (
        <RowList
          label={title}
          rows={list.items}
          columns={columns}
          keyOf={keyOf}
          onOpen={(row) => void navigate({ to: `/${noun}/$`, params: { _splat: keyOf(row) } as never })}
          loadMore={list.loadMore}
          onVisible={list.onVisible}
          isLoading={list.isLoading}
          sort={sort}
          onSort={(value) => setSearch({ sort: value })}
        />
      ) : undefined}
      <ListEquivalents command={command} path={path} parameters={{ [searchName]: search, sort }} />
    </Stack>
  );
}

interface ListEquivalentsProps {
  readonly command: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

function ListEquivalents({ command, path, parameters }: ListEquivalentsProps) {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  // Joined to its option, since a descending order begins with a hyphen.
  const options = given.map(([name, value]) => ` --${name}=${quoteShellArgument(value)}`).join('');
  return <Equivalents command={`${command}${options}`} call={{ path: `${path}${query}` }} />;
}
