/** A button that opens a form, sends it, and shows the secret of the response once. */
import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { AccessTarget } from '../../api/permissions.ts';
import type { HttpCall, RequestClients } from '../../api/requests.ts';
import { useChanged } from '../../api/use-changed.ts';
import { Equivalents } from '../equivalents.tsx';
import { ErrorPanel } from '../error-panel.tsx';
import { Dialog, DialogForm } from '../forms/dialog.tsx';
import { type FieldErrorOptions, useFieldErrors } from '../forms/use-field-errors.ts';
import { useWrite } from '../forms/use-write.ts';
import { PermittedButton } from '../permitted-button.tsx';
import { Subject, type SubjectKind } from '../subject.tsx';
import type { Secret } from './secret-formats.ts';
import { SecretView } from './secret-view.tsx';

export interface SecretResult {
  /** Undefined if the write returned none. */
  readonly secret: Secret | undefined;
  /** The object that was written. */
  readonly subject: { readonly kind: SubjectKind; readonly id: string; readonly name?: string };
  /** Such as how long the secret is valid. */
  readonly note?: ReactNode;
}

interface SecretActionProps extends FieldErrorOptions {
  readonly operation: AccessTarget;
  readonly label: string;
  /** What the page is mainly for: one a page. */
  readonly isPrimary?: boolean;
  readonly title: ReactNode;
  readonly confirmLabel: string;
  /** What was done with the object, before its name: `Created`. */
  readonly doneLabel: string;
  /** What the secret is: `Client secret`. */
  readonly secretLabel: string;
  /** The fields. Typed text stays after an error. */
  readonly children: ReactNode;
  readonly isReady: boolean;
  /** What is missing until then. */
  readonly notReadyText?: string;
  readonly command: string;
  readonly call: HttpCall;
  send(clients: RequestClients): Promise<SecretResult>;
  /** The nouns of the queries that it affects. */
  readonly changes: readonly string[];
  /** When the dialog is closed after success. */
  onClose?(id: string): void;
}

export function SecretAction(props: SecretActionProps) {
  const { operation, label, title, isPrimary = false, send, changes, onClose } = props;
  const changed = useChanged(changes);
  const errors = useFieldErrors(props);
  const [isOpen, dialog] = useDisclosure(false);
  const write = useWrite({
    send,
    changed,
    // The secret is only in the state of this dialog.
    gcTime: 0,
    onMutate: errors.clear,
    onError: errors.show,
    onSuccess: changed,
  });
  const close = () => {
    const { data } = write;
    write.cancel();
    dialog.close();
    errors.clear();
    write.reset();
    if (data !== undefined) onClose?.(data.subject.id);
  };
  return (
    <>
      <PermittedButton operation={operation} variant={isPrimary ? 'filled' : 'default'} onClick={dialog.open}>
        {label}
      </PermittedButton>
      <Dialog isOpen={isOpen} onClose={close} title={title} hasSecret={write.data?.secret !== undefined}>
        {write.data === undefined ? (
          <SecretForm
            {...props}
            error={errors.rest}
            isPending={write.isPending}
            onCancel={close}
            onSubmit={() => write.mutate()}
          />
        ) : (
          <Result {...write.data} {...props} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

interface SecretFormProps extends SecretActionProps {
  readonly error: unknown;
  readonly isPending: boolean;
  onCancel(): void;
  onSubmit(): void;
}

function SecretForm(props: SecretFormProps) {
  const { children, error, isPending, isReady, notReadyText = 'Fill in the required fields first.' } = props;
  const hint = isReady ? undefined : notReadyText;
  return (
    <DialogForm
      onSubmit={props.onSubmit}
      hint={hint}
      buttons={
        <>
          <Button variant="default" onClick={props.onCancel}>
            Cancel
          </Button>
          <PermittedButton operation={props.operation} type="submit" loading={isPending} disabledReason={hint}>
            {props.confirmLabel}
          </PermittedButton>
        </>
      }
    >
      <Stack gap="sm">
        {children}
        <Equivalents command={props.command} call={props.call} />
      </Stack>
      {error ? <ErrorPanel error={error} /> : undefined}
    </DialogForm>
  );
}

interface ResultProps extends SecretResult, Pick<SecretActionProps, 'doneLabel' | 'secretLabel'> {
  onClose(): void;
}

function Result({ subject, secret, note, doneLabel, secretLabel, onClose }: ResultProps) {
  return (
    <DialogForm
      onSubmit={onClose}
      buttons={
        <Button type="submit" variant="default" {...(secret === undefined ? { 'data-autofocus': true } : {})}>
          Close
        </Button>
      }
    >
      <Text component="div">
        {doneLabel} <Subject {...subject} isPlain />
        {note === undefined ? undefined : <Text size="sm">{note}</Text>}
      </Text>
      {secret === undefined ? undefined : <SecretView label={secretLabel} secret={secret} />}
    </DialogForm>
  );
}
