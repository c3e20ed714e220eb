/** Asks before something is deleted or replaced, with what it affects. */
import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import type { AccessTarget } from '../api/permissions.ts';
import { ErrorPanel } from './error-panel.tsx';
import { PermittedButton } from './permitted-button.tsx';

export interface ConfirmDialogProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  /** What is affected. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly isPending: boolean;
  readonly error?: unknown;
  /** Of something that cannot be undone, unless false. */
  readonly isDangerous?: boolean;
  /** Whether everything that is required is typed or chosen. */
  readonly isReady?: boolean;
  readonly size?: ModalProps['size'];
  /** What the confirmation sends, if the choice in the dialog decides it. */
  readonly operation?: AccessTarget;
  onConfirm(): void;
  onCancel(): void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, children, confirmLabel, isPending, error, onConfirm, onCancel } = props;
  const { isDangerous = true, isReady = true, size, operation } = props;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Modal opened={isOpen} onClose={onCancel} title={title} size={size} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text component="div">{children}</Text>
          {error ? <ErrorPanel error={error} /> : undefined}
          <Group justify="flex-end">
            <Button variant="default" onClick={onCancel} data-autofocus>
              Cancel
            </Button>
            <PermittedButton
              operation={operation ?? []}
              type="submit"
              color={isDangerous ? 'red' : undefined}
              loading={isPending}
              disabled={!isReady}
            >
              {confirmLabel}
            </PermittedButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
