/** The heading of a page, with its actions. */
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageTitleProps {
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

export function PageTitle({ children, actions }: PageTitleProps) {
  return (
    <Group justify="space-between" gap="sm" mih={32}>
      <Title order={1} size="h3">
        {children}
      </Title>
      <Group gap="xs">{actions}</Group>
    </Group>
  );
}
