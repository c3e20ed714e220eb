/** Shown instead of an empty list: what would be here, and the next step; or which filters match nothing. */
import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePage } from '../api/use-page.ts';
import { CopyableLine, useCommandFormat } from './equivalents.tsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  /** Of the page that lists such objects. */
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly children?: ReactNode;
  /** What fills the list, without `iam`. */
  readonly command?: string;
  readonly action?: ReactNode;
}

export function EmptyState({ icon, title, children, command, action }: EmptyStateProps) {
  const format = useCommandFormat();
  return (
    <Stack className="empty" align="center" gap="xs">
      <span className="empty-icon">
        <Icon name={icon} />
      </span>
      <Text fw={600}>{title}</Text>
      {children === undefined ? undefined : (
        <Text c="dimmed" component="div">
          {children}
        </Text>
      )}
      {action}
      {command === undefined ? undefined : <CopyableLine text={format(command)} />}
    </Stack>
  );
}

interface NoMatchProps extends Pick<EmptyStateProps, 'icon' | 'children'> {
  /** What is listed, in the plural. */
  readonly things: string;
  /** By their parameters of the URL. */
  readonly filters: Readonly<Record<string, string | undefined>>;
}

export function NoMatch({ icon, things, filters, children }: NoMatchProps) {
  const { setSearch } = usePage();
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const clear = () => setSearch(Object.fromEntries(given.map(([name]) => [name, undefined])));
  return (
    <EmptyState
      icon={icon}
      title={
        <>
          No {things} match <bdi>{given.map(([, value]) => value).join(', ')}</bdi>
        </>
      }
      action={
        <Button variant="default" onClick={clear}>
          {given.length > 1 ? 'Clear the filters' : 'Clear the filter'}
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
