/** Shown if a page fails, or its files cannot be loaded because the server was replaced by another version. */
import { Button, Stack, Text, Title } from '@mantine/core';

export function RenderError({ error }: { readonly error: unknown }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={1} size="h3">
        This page failed
      </Title>
      <Text>{error instanceof Error ? error.message : 'Unknown error'}</Text>
      <Button onClick={() => window.location.reload()}>Reload the console</Button>
    </Stack>
  );
}
