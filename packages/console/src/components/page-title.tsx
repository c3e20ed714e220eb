/** The heading of a page, with its actions. */
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageTitleProps {
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  /** Beside the heading, and no part of it. */
  readonly aside?: ReactNode;
}

export function PageTitle({ children, actions, aside }: PageTitleProps) {
  return (
    <Group justify="space-between" gap="sm" mih={32}>
      <Group gap="xs" align="baseline">
        <Title order={1} size="h3">
          {children}
        </Title>
        {aside}
      </Group>
      <Group gap="xs" className="page-actions">
        {actions}
      </Group>
    </Group>
  );
}
