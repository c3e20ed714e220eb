/** Creates the sandbox of the page again, which was deleted under it. What was typed remains. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../api/console-context.ts';
import { unwrap } from '../api/errors.ts';
import { consoleUrlOf } from '../api/location.ts';
import { PermittedButton } from './permitted-button.tsx';

export function RestoreSandbox({ name }: { readonly name: string }) {
  const { location, serverControl, connection } = useConsole();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: () => unwrap(serverControl.POST('/sandboxes', { body: { name } })),
    onSuccess() {
      connection.resume();
      void queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Group gap="xs" mt="xs">
        <PermittedButton
          operation="POST /_iam/sandboxes"
          size="compact-sm"
          variant="default"
          loading={create.isPending}
          onClick={() => create.mutate()}
        >
          Create it again from the seed
        </PermittedButton>
        <Button size="compact-sm" variant="default" component="a" href={consoleUrlOf(location)}>
          Open the server
        </Button>
      </Group>
      {create.error ? <Text role="alert">{create.error.message}</Text> : undefined}
    </>
  );
}
