/** Asks before something is deleted or replaced, with what it affects; or asks for the fields of a write. */
import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AccessTarget } from '../api/permissions.ts';
import { ErrorPanel } from './error-panel.tsx';
import { Dialog, DialogForm } from './forms/dialog.tsx';
import { PermittedButton } from './permitted-button.tsx';

export interface ConfirmDialogProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  /** What is affected. */
  readonly children: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel?: string;
  readonly isPending: boolean;
  readonly error?: unknown;
  /** Of something that cannot be undone, unless false. */
  readonly isDangerous?: boolean;
  /** Whether everything that is required is typed or chosen. */
  readonly isReady?: boolean;
  /** What is missing until then. */
  readonly notReadyText?: string;
  /** What the confirmation sends, if the choice in the dialog decides it. */
  readonly operation?: AccessTarget;
  onConfirm(): void;
  onCancel(): void;
}

/** Of the forms that edit something. */
export const unchangedText = 'Nothing is changed yet.';

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, isOpen, children, confirmLabel, isPending, error, onConfirm, onCancel } = props;
  const { isDangerous = true, isReady = true, notReadyText = 'Fill in the required fields first.', operation } = props;
  const { cancelLabel = 'Cancel' } = props;
  const hint = isReady ? undefined : notReadyText;
  return (
    <Dialog isOpen={isOpen} onClose={onCancel} title={title}>
      <DialogForm
        onSubmit={onConfirm}
        hint={hint}
        buttons={
          <>
            <Button variant="default" onClick={onCancel} data-autofocus>
              {cancelLabel}
            </Button>
            <PermittedButton
              operation={operation ?? []}
              type="submit"
              color={isDangerous ? 'red' : undefined}
              loading={isPending}
              disabledReason={hint}
            >
              {confirmLabel}
            </PermittedButton>
          </>
        }
      >
        <Text component="div">{children}</Text>
        {error ? <ErrorPanel error={error} /> : undefined}
      </DialogForm>
    </Dialog>
  );
}
