/** A button that opens a confirmation or a form, and sends one write. */
import { Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AccessTarget } from '../api/permissions.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Equivalents, type HttpCall } from './equivalents.tsx';
import { PermittedButton } from './permitted-button.tsx';

export interface WriteActionProps {
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
  /** In a row of a list. */
  readonly isCompact?: boolean;
  /** The name of the button, if its label is not sufficient. */
  readonly accessibleLabel?: string;
  /** Called when the dialog is closed without a write, to delete secrets. */
  onCancel?(): void;
  send(): Promise<unknown>;
  /** After success, before the lists are read again. */
  onDone?(): Promise<void> | void;
  /** Reads again what the write changes. */
  onChanged(): Promise<void>;
}

export function WriteAction(props: WriteActionProps) {
  const { operation, label, title, confirmLabel, children, command, call, isDangerous = false } = props;
  const [isOpen, dialog] = useDisclosure(false);
  const write = useMutation({
    mutationFn: props.send,
    onSuccess: async () => {
      dialog.close();
      await props.onDone?.();
      await props.onChanged();
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
        {...(props.isCompact === true ? { size: 'compact-sm', variant: 'default' } : {})}
        {...(props.accessibleLabel === undefined ? {} : { 'aria-label': props.accessibleLabel })}
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
