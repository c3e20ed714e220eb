/**
 * A dialog with fields. Escape and clicks beside it close it only while nothing is typed in it; its buttons always close it.
 */
import { Modal, Stack, Text } from '@mantine/core';
import { createContext, type FormEvent, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { ConnectedContext } from '../../api/live/use-live-queries.ts';
import { DeletedSandbox, useSandboxDeleted } from '../restore-sandbox.tsx';

interface DialogProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  readonly children: ReactNode;
  /** It shows what cannot be shown again. */
  readonly hasSecret?: boolean;
  onClose(): void;
}

const typedText = 'Still open: Cancel discards what you typed.';
const awayText = 'The server does not respond. What you typed stays: send it when the server responds again.';
const secretText = 'Still open: this cannot be shown again.';

/** Why the dialog is still open, which is shown beside its buttons. */
const NoticeContext = createContext<string | undefined>(undefined);

export function Dialog({ title, isOpen, children, hasSecret = false, onClose }: DialogProps) {
  const [isTyped, setTyped] = useState(false);
  const [isNoticed, setNoticed] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    setTyped(false);
    setNoticed(false);
  }, [isOpen]);
  const isGuarded = hasSecret || isTyped;
  return (
    <Modal
      opened={isOpen}
      onClose={() => (isGuarded ? setNoticed(true) : onClose())}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close', onClick: onClose }}
    >
      <NoticeContext value={isNoticed ? (hasSecret ? secretText : typedText) : undefined}>
        <DeletedSandbox>What you typed stays. Nothing can be sent until the sandbox exists again.</DeletedSandbox>
        <div onInput={() => setTyped(true)}>{children}</div>
      </NoticeContext>
    </Modal>
  );
}

interface DialogFormProps {
  readonly children: ReactNode;
  /** The buttons, which stay visible while the fields scroll. */
  readonly buttons: ReactNode;
  /** Why the form cannot be sent yet. */
  readonly hint?: string | undefined;
  onSubmit(): void;
}

/** The first field has the focus; without fields, what has `data-autofocus`. */
export function DialogForm({ children, buttons, hint, onSubmit }: DialogFormProps) {
  const isDeleted = useSandboxDeleted();
  const isConnected = useContext(ConnectedContext) || isDeleted;
  const guarded = useContext(NoticeContext);
  const notice = guarded ?? (isConnected ? undefined : awayText);
  const focusFirst = useCallback((form: HTMLFormElement | null) => {
    form
      ?.querySelector('input:not([type=hidden], [type=file], :disabled), select, textarea')
      ?.setAttribute('data-autofocus', 'true');
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate ref={focusFirst}>
      <Stack gap="md">
        {children}
        <div className="dialog-foot">
          {notice === undefined ? (
            <Text size="sm" c="dimmed" flex={1} component="div">
              {hint}
            </Text>
          ) : (
            <Text size="sm" flex={1} role="alert">
              {notice}
            </Text>
          )}
          {buttons}
        </div>
      </Stack>
    </form>
  );
}
