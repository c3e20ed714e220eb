/** Asks before something is deleted or replaced, with what it affects. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';

interface ConfirmDialogProps {
  readonly title: string;
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
  onConfirm(): void;
  onCancel(): void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, children, confirmLabel, isPending, error, onConfirm, onCancel } = props;
  const { isDangerous = true, isReady = true } = props;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Modal opened={isOpen} onClose={onCancel} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <Text component="div">{children}</Text>
          {error ? <ErrorPanel error={error} /> : undefined}
          <Group justify="flex-end">
            <Button variant="default" onClick={onCancel} data-autofocus>
              Cancel
            </Button>
            <Button type="submit" {...(isDangerous ? { color: 'red' } : {})} loading={isPending} disabled={!isReady}>
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
