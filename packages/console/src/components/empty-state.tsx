/** Shown instead of an empty list: what would be here, and the command that creates it. */
import { Code, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** A command that fills the list. */
  readonly command?: string;
}

export function EmptyState({ title, children, command }: EmptyStateProps) {
  return (
    <Paper withBorder p="lg">
      <Stack gap="xs">
        <Text fw={600}>{title}</Text>
        {children === undefined ? undefined : <Text>{children}</Text>}
        {command === undefined ? undefined : (
          <Code block tabIndex={0} aria-label="Command" style={{ whiteSpace: 'pre-wrap' }}>
            {command}
          </Code>
        )}
      </Stack>
    </Paper>
  );
}
