/** Asks before something is deleted or replaced, with what it affects. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';

interface ConfirmDialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** What is affected. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly isPending: boolean;
  readonly error?: unknown;
  onConfirm(): void;
  onCancel(): void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, children, confirmLabel, isPending, error, onConfirm, onCancel } = props;
  return (
    <Modal opened={isOpen} onClose={onCancel} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <Text component="div">{children}</Text>
        {error ? <ErrorPanel error={error} /> : undefined}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={isPending} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
