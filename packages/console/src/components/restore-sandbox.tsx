/** Says that the sandbox of the page was deleted under it, and creates it again. What was typed remains. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useConsole } from '../api/console-context.ts';
import { RequestError, unwrap } from '../api/errors.ts';
import { consoleUrlOf } from '../api/location.ts';
import { PermittedButton } from './permitted-button.tsx';

export function useSandboxDeleted(): boolean {
  const { connection } = useConsole();
  return useSyncExternalStore(connection.subscribe, connection.isSandboxDeleted);
}

/** Nothing while the sandbox exists. */
export function DeletedSandbox({ children }: { readonly children: string }) {
  const { location } = useConsole();
  if (!useSandboxDeleted() || location.sandbox === undefined) return undefined;
  return (
    <Alert color="orange" variant="light" title={`The sandbox ${location.sandbox} was deleted`} mb="md">
      {children}
      <RestoreSandbox name={location.sandbox} />
    </Alert>
  );
}

function RestoreSandbox({ name }: { readonly name: string }) {
  const { location, serverControl, connection } = useConsole();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      await unwrap(serverControl.POST('/sandboxes', { body: { name } })).catch((error: unknown) => {
        // Another has created it again.
        const exists = error instanceof RequestError && error.items.some(({ code }) => code === 'SANDBOX_EXISTS');
        if (!exists) throw error;
      });
    },
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
