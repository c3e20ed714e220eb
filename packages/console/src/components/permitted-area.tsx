/** What only some callers may see: others see the role that it requires. Nothing in it is requested then. */
import { Alert, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AccessTarget } from '../api/permissions.ts';
import { usePermission } from '../api/use-permission.ts';
import { PageTitle } from './page-title.tsx';

interface PermittedAreaProps {
  /** What reads the content. */
  readonly operation: AccessTarget;
  /** "Messages and their codes" */
  readonly content: string;
  /** Of the page, if it has no other content. */
  readonly title?: string;
  readonly children: ReactNode;
}

export function PermittedArea({ operation, content, title, children }: PermittedAreaProps) {
  const { isAllowed, reason } = usePermission(operation);
  if (isAllowed) return children;
  return (
    <Stack gap="md">
      {title === undefined ? undefined : <PageTitle>{title}</PageTitle>}
      <Alert color="gray" variant="light" title={`Not shown: ${content}`} role="note">
        <Text>{reason}</Text>
      </Alert>
    </Stack>
  );
}
