/** What can be done with an inspected token: revoke it, and move the clock to its expiry. */
import { Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import type { InspectedToken } from './token-facts.tsx';

interface TokenActionsProps {
  readonly token: string;
  readonly inspection: InspectedToken;
  /** Called after a change, to inspect the token again. */
  onChange(): void;
}

export function TokenActions({ token, inspection: { active, expiresAt }, onChange }: TokenActionsProps) {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const revoke = useMutation({
    mutationFn: () => unwrap(control.POST('/revoke', { body: { token } })),
    onSuccess: () => {
      dialog.close();
      onChange();
    },
  });
  const jump = useMutation({
    mutationFn: (offset: string | undefined) =>
      unwrap(control.PUT('/clock', { body: { to: 'expiry', of: token, offset } })),
    onSuccess: () => {
      onChange();
      return queryClient.invalidateQueries();
    },
  });
  return (
    <>
      <Group gap="xs">
        <PermittedButton
          operation="POST /_iam/revoke"
          variant="default"
          color="red"
          disabled={!active}
          onClick={dialog.open}
        >
          Revoke the token
        </PermittedButton>
        <PermittedButton
          operation="PUT /_iam/clock"
          variant="default"
          disabled={expiresAt === undefined}
          onClick={() => jump.mutate('-1s')}
        >
          Move the clock to a second before its expiry
        </PermittedButton>
        <PermittedButton
          operation="PUT /_iam/clock"
          variant="default"
          disabled={expiresAt === undefined}
          onClick={() => jump.mutate(undefined)}
        >
          Move the clock to its expiry
        </PermittedButton>
      </Group>
      {jump.error ? <ErrorPanel error={jump.error} /> : undefined}
      <ConfirmDialog
        title="Revoke the token"
        isOpen={isOpen}
        confirmLabel="Revoke"
        isPending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate()}
        onCancel={dialog.close}
      >
        The server rejects it from then on. This cannot be undone, also not by moving the clock.
      </ConfirmDialog>
    </>
  );
}
