/** A button that opens a confirmation or a form, and sends one write about a user. */
import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AccessTarget } from '../../../api/use-permission.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Equivalents, type HttpCall } from '../../../components/equivalents.tsx';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { useUsersChanged } from '../data/use-users.ts';

interface UserActionProps {
  /** What it sends: disabled for callers that lack the role. */
  readonly operation: AccessTarget;
  readonly label: string;
  readonly title: string;
  readonly confirmLabel: string;
  /** What is affected, and fields. Typed text stays after an error. */
  readonly children: ReactNode;
  readonly command: string;
  readonly call: HttpCall;
  readonly isDangerous?: boolean;
  /** Whether everything that is required is typed or chosen. */
  readonly isReady?: boolean;
  /** Called when the dialog is closed without a write, to delete secrets. */
  onCancel?(): void;
  send(): Promise<unknown>;
  /** After success, before the lists are read again. */
  onDone?(): Promise<void> | void;
}

export function UserAction(props: UserActionProps) {
  const { operation, label, title, confirmLabel, children, command, call, isDangerous = false, send, onDone } = props;
  const [isOpen, dialog] = useDisclosure(false);
  const usersChanged = useUsersChanged();
  const write = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      dialog.close();
      await onDone?.();
      await usersChanged();
    },
  });
  const cancel = () => {
    write.reset();
    dialog.close();
    props.onCancel?.();
  };
  return (
    <>
      <PermittedButton
        operation={operation}
        {...(isDangerous ? { color: 'red', variant: 'outline' } : { variant: 'default' })}
        onClick={dialog.open}
      >
        {label}
      </PermittedButton>
      <ConfirmDialog
        title={title}
        isOpen={isOpen}
        confirmLabel={confirmLabel}
        isPending={write.isPending}
        error={write.error}
        isDangerous={isDangerous}
        isReady={props.isReady ?? true}
        onConfirm={() => write.mutate()}
        onCancel={cancel}
      >
        <Stack gap="xs">
          {children}
          <Equivalents command={command} call={call} />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
