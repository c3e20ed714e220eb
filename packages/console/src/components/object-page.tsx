/** The page of one object: the way back to its list, its heading with actions, and its content when it is read. */

import { Anchor, Loader, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApiRequest } from '../api/requests.ts';
import { Equivalents } from './equivalents.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { PageTitle } from './page-title.tsx';
import { CopyId } from './subject.tsx';

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
  children(data: Data): ReactNode;
}

export function ObjectPage<Data>(props: ObjectPageProps<Data>) {
  const { list, query, command, call, renderActions, children } = props;
  const { data, error, isLoading } = query;
  const { id, name = id } = data === undefined ? {} : props.nameOf(data);
  return (
    <Stack gap="md" style={{ overflowWrap: 'anywhere' }}>
      <Anchor component={Link} to={list.path} c="dimmed" size="sm" w="fit-content">
        {list.title}
      </Anchor>
      <PageTitle
        actions={data === undefined ? undefined : renderActions?.(data)}
        aside={id === undefined ? undefined : <CopyId id={id}>{name === id ? undefined : id}</CopyId>}
      >
        <bdi>{name ?? props.title}</bdi>
      </PageTitle>
      {error ? <ErrorPanel error={error} onRetry={() => void query.refetch()} /> : undefined}
      {isLoading ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {data === undefined ? undefined : children(data)}
      <Equivalents command={command} call={call} />
    </Stack>
  );
}
