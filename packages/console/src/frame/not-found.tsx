/** Shown for a path of the console that does not exist. */
import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <Stack gap="xs">
      <Title order={1} size="h3">
        Page not found
      </Title>
      <Text>
        The console has no page at this address.{' '}
        <Anchor component={Link} to="/" underline="always">
          Open the first page
        </Anchor>{' '}
        or choose one from the menu.
      </Text>
    </Stack>
  );
}
