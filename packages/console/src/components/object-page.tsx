/**
 * The page of one object: the way back to its list, its heading with actions, and its content when it is read. With tabs,
 * what identifies the object is beside them, and the content of a tab is read when it is opened.
 */

import { Anchor, Loader, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApiRequest } from '../api/requests.ts';
import { usePage } from '../api/use-page.ts';
import { Equivalents } from './equivalents.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { PageTabs } from './object/page-tabs.tsx';
import { PageTitle } from './page-title.tsx';
import { CopyId } from './subject.tsx';

export interface ObjectTab {
  /** Its value in the URL, as `?tab=sessions`; the first tab is without it. */
  readonly name: string;
  readonly title: string;
  /** The command and the request that show the same, if they are not those of the object. */
  readonly command?: string;
  readonly call?: ApiRequest;
  render(): ReactNode;
}

interface ObjectPageProps<Data> {
  /** The list: its path and its name in a sentence. */
  readonly list: { readonly path: string; readonly title: string };
  /** What it is called until it is read. */
  readonly title: string;
  /** Its name, unless it has none, and its id. */
  nameOf(data: Data): { readonly id: string; readonly name?: string | undefined };
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly isLoading: boolean;
    refetch(): unknown;
  };
  /** The command and the request that show the object. */
  readonly command: string;
  readonly call: ApiRequest;
  renderActions?(data: Data): ReactNode;
  listTabs?(data: Data): readonly ObjectTab[];
  children(data: Data): ReactNode;
}

export function ObjectPage<Data>(props: ObjectPageProps<Data>) {
  const { list, query, command, call, renderActions, listTabs, children } = props;
  const { data, error, isLoading } = query;
  const { search } = usePage();
  const { id, name = id } = data === undefined ? {} : props.nameOf(data);
  const tabs = data === undefined ? [] : (listTabs?.(data) ?? []);
  const tab = tabs.find((each) => each.name === search.tab) ?? tabs[0];
  const actions = data === undefined ? undefined : renderActions?.(data);
  return (
    <Stack gap="md" style={{ overflowWrap: 'anywhere' }}>
      <Anchor component={Link} to={list.path} c="dimmed" size="sm" w="fit-content">
        {list.title}
      </Anchor>
      <PageTitle
        actions={actions}
        aside={id === undefined ? undefined : <CopyId id={id}>{name === id ? undefined : id}</CopyId>}
      >
        <bdi>{name ?? props.title}</bdi>
      </PageTitle>
      {error ? <ErrorPanel error={error} onRetry={() => void query.refetch()} /> : undefined}
      {isLoading ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {data === undefined ? undefined : tab === undefined ? (
        children(data)
      ) : (
        <div className="object-columns">
          <Stack gap="md">{children(data)}</Stack>
          <Stack gap="md" miw={0}>
            <PageTabs
              label={`About ${name}`}
              param="tab"
              titles={Object.fromEntries(tabs.map((each) => [each.name, each.title]))}
              current={tab.name}
            />
            {tab.render()}
          </Stack>
        </div>
      )}
      <Equivalents command={tab?.command ?? command} call={tab?.call ?? call} />
    </Stack>
  );
}
