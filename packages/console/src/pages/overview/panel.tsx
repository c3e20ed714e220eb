/** A part of the first page, with the page that has more of it. */
import { Anchor, Group, Paper, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../components/icon.tsx';

interface PanelProps {
  readonly title: string;
  readonly icon: IconName;
  readonly link?: { readonly to: string; readonly label: string; readonly search?: unknown };
  readonly children: ReactNode;
}

export function Panel({ title, icon, link, children }: PanelProps) {
  return (
    <Paper component="section" className="panel" withBorder p="md" bg="var(--surface)">
      <Stack gap="xs">
        <Group justify="space-between" c="dimmed">
          <Group gap={6}>
            <Icon name={icon} />
            <Title order={2} size="h6">
              {title}
            </Title>
          </Group>
          {link === undefined ? undefined : (
            <Anchor component={Link} to={link.to} search={link.search as never} size="sm">
              {link.label}
            </Anchor>
          )}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
