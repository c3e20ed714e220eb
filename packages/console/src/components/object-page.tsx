/** The page of one object: the way back to its list, its heading with actions, and its content when it is read. */
import { Anchor, Loader, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';
import { PageTitle } from './page-title.tsx';

interface ObjectPageProps {
  /** The list: its path and its name in a sentence. */
  readonly list: { readonly path: string; readonly title: string };
  readonly title: string;
  readonly actions?: ReactNode;
  readonly query: { readonly error: unknown; readonly isLoading: boolean; refetch(): unknown };
  readonly children?: ReactNode;
}

export function ObjectPage({ list, title, actions, query, children }: ObjectPageProps) {
  return (
    <Stack gap="md" style={{ overflowWrap: 'anywhere' }}>
      <Anchor component={Link} to={list.path} underline="always" size="sm">
        {list.title}
      </Anchor>
      <PageTitle actions={actions}>
        <bdi>{title}</bdi>
      </PageTitle>
      {query.error ? <ErrorPanel error={query.error} onRetry={() => void query.refetch()} /> : undefined}
      {query.isLoading ? <Loader size="sm" aria-label="Loading" /> : undefined}
      {children}
    </Stack>
  );
}
