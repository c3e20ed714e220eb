/** Shown instead of an empty list: what would be here, and the command that creates it. */
import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyableLine } from './equivalents.tsx';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** A command that fills the list. */
  readonly command?: string;
}

export function EmptyState({ title, children, command }: EmptyStateProps) {
  return (
    <Paper withBorder p="lg" bg="var(--surface)">
      <Stack gap="xs" maw={640}>
        <Text fw={600}>{title}</Text>
        {children === undefined ? undefined : <Text c="dimmed">{children}</Text>}
        {command === undefined ? undefined : <CopyableLine text={command} />}
      </Stack>
    </Paper>
  );
}
