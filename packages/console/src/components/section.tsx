/** A part of a page, with its heading. */
import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageSectionProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Shown instead of an empty list. */
  readonly emptyText?: string | undefined;
}

export function PageSection({ title, children, actions, emptyText }: PageSectionProps) {
  return (
    <Stack component="section" className="page-section" aria-label={title} gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Group gap="xs">{actions}</Group>
      </Group>
      {emptyText === undefined ? children : <Text c="dimmed">{emptyText}</Text>}
    </Stack>
  );
}
