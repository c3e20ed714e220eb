/** A button that opens a confirmation or a form, and sends one write. */
import { Alert, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { isChangedMeanwhile, unwrap } from '../api/errors.ts';
import type { AccessTarget } from '../api/permissions.ts';
import { type ApiRequest, describeRequest } from '../api/requests.ts';
import { useChanged } from '../api/use-changed.ts';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';
import { type EditedObject, LastChange } from './edit/last-change.tsx';
import { Equivalents } from './equivalents.tsx';
import { type FieldErrorOptions, useFieldErrors } from './forms/use-field-errors.ts';
import { useWrite } from './forms/use-write.ts';
import { PermittedButton } from './permitted-button.tsx';
import { type Toast, useToast } from './toasts/toasts.tsx';

export interface WriteActionProps<Data>
  extends FieldErrorOptions,
    Pick<ConfirmDialogProps, 'title' | 'confirmLabel' | 'isDangerous' | 'isReady' | 'notReadyText' | 'operation'> {
  /** What it sends: disabled for callers that lack the role. */
  readonly operation: AccessTarget;
  /** Of the button, if it can send several operations: one is sufficient. */
  readonly anyOperation?: readonly AccessTarget[];
  readonly label: string;
  /** What is affected, and fields. Typed text stays after an error. */
  readonly children: ReactNode;
  readonly request: ApiRequest<Data>;
  /** The command that does the same; without it, neither the command nor the call is shown. */
  readonly command?: string;
  /** Shown instead of the body that is sent, which contains a secret. */
  readonly shownBody?: unknown;
  /** Why it is not possible now. */
  readonly disabledReason?: string | undefined;
  /** What the page is mainly for: one a page. */
  readonly isPrimary?: boolean;
  /** In a row of a list. */
  readonly isCompact?: boolean;
  /** The name of the button, if its label is not sufficient. */
  readonly accessibleLabel?: string;
  /** The nouns of the queries that it affects; without them, all queries. */
  readonly changes?: readonly string[];
  /** What it replaces in this version: if that is not the current one, nothing is saved and it is read again. */
  readonly edited?: EditedObject & { readonly etag: string | undefined };
  /** What is then said. */
  readonly done: string | Toast | ((data: Data) => Toast);
  /** Called when the dialog is closed without a write, to delete secrets. */
  onCancel?(): void;
  /** After success, before the lists are read again. */
  onDone?(data: Data): Promise<void> | void;
}

export function WriteAction<Data>(props: WriteActionProps<Data>) {
  const { operation, anyOperation = operation, label, children, request, command, shownBody } = props;
  const { isDangerous = false, isPrimary = false, isCompact = false, accessibleLabel } = props;
  const { done, edited } = props;
  const changed = useChanged(props.changes);
  const errors = useFieldErrors(props);
  const showToast = useToast();
  const [isOpen, dialog] = useDisclosure(false);
  // Thousands of rows have one. It is there before it opens, so that the focus returns to the button.
  const [hasDialog, setHasDialog] = useState(!isCompact);
  const prepare = () => setHasDialog(true);
  const [rejected, setRejected] = useState<string | undefined>();
  const isReread = isChangedMeanwhile(errors.rest) && edited?.etag !== rejected;
  const write = useWrite({
    send: (clients) => unwrap(request(clients)),
    changed,
    onMutate: errors.clear,
    onError: (error) => {
      errors.show(error);
      setRejected(edited?.etag);
      if (edited && isChangedMeanwhile(error)) void changed();
    },
    onSuccess: async (data) => {
      dialog.close();
      showToast(typeof done === 'function' ? done(data) : typeof done === 'string' ? { text: done } : done);
      await props.onDone?.(data);
      await changed();
    },
  });
  const cancel = () => {
    write.cancel();
    errors.clear();
    dialog.close();
    props.onCancel?.();
  };
  return (
    <>
      <PermittedButton
        operation={anyOperation}
        variant={isPrimary ? 'filled' : 'default'}
        {...(isCompact ? { size: 'compact-sm' } : {})}
        className={isDangerous ? 'danger' : undefined}
        disabledReason={props.disabledReason}
        aria-label={accessibleLabel}
        onFocus={prepare}
        onPointerEnter={prepare}
        onClick={() => {
          prepare();
          dialog.open();
        }}
      >
        {label}
      </PermittedButton>
      {hasDialog ? (
        <ConfirmDialog
          {...props}
          isOpen={isOpen}
          isPending={write.isPending}
          error={isReread ? undefined : errors.rest}
          isDangerous={isDangerous}
          onConfirm={() => write.mutate()}
          onCancel={cancel}
        >
          <Stack gap="xs">
            {children}
            {isReread && edited && !props.form ? (
              <Alert color="orange" title="This was changed meanwhile" role="alert">
                Nothing was saved. The current version was read: confirm to do it there.
                <LastChange {...edited} />
              </Alert>
            ) : undefined}
            {command === undefined ? undefined : (
              <Equivalents
                command={command}
                call={{ ...describeRequest(request), ...(shownBody === undefined ? {} : { body: shownBody }) }}
              />
            )}
          </Stack>
        </ConfirmDialog>
      ) : undefined}
    </>
  );
}
