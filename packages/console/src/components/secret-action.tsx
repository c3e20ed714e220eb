/** A button that opens a form, sends it, and shows the secret of the response once. */
import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { AccessTarget } from '../api/permissions.ts';
import type { HttpCall } from '../api/requests.ts';
import { useChanged } from '../api/use-changed.ts';
import { CopyTextButton } from './copy-text-button.tsx';
import { Equivalents } from './equivalents.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { PermittedButton } from './permitted-button.tsx';

interface SecretResult {
  /** Undefined if the write returned none. */
  readonly secret: string | undefined;
  /** Of the object that was written. */
  readonly id: string;
}

interface SecretActionProps {
  readonly operation: AccessTarget;
  readonly label: string;
  readonly title: ReactNode;
  readonly confirmLabel: string;
  /** What the page is mainly for: one a page. */
  readonly isPrimary?: boolean;
  /** What the secret is: `Client secret`. */
  readonly secretLabel: string;
  /** The fields. Typed text stays after an error. */
  readonly children: ReactNode;
  readonly isReady: boolean;
  readonly command: string;
  readonly call: HttpCall;
  send(): Promise<SecretResult>;
  /** The nouns of the queries that it affects. */
  readonly changes: readonly string[];
  /** When the dialog is closed after success. */
  onClose(id: string): void;
}

export function SecretAction(props: SecretActionProps) {
  const { operation, label, title, isPrimary = false, send, changes, onClose } = props;
  const changed = useChanged(changes);
  const [isOpen, dialog] = useDisclosure(false);
  const write = useMutation({
    mutationFn: send,
    // The secret is only in the state of this dialog.
    gcTime: 0,
    onSuccess: changed,
  });
  const close = () => {
    const { data } = write;
    dialog.close();
    write.reset();
    if (data !== undefined) onClose(data.id);
  };
  return (
    <>
      <PermittedButton operation={operation} variant={isPrimary ? 'filled' : 'default'} onClick={dialog.open}>
        {label}
      </PermittedButton>
      {/* A click outside must not end the only view of a secret. */}
      <Modal
        opened={isOpen}
        onClose={close}
        title={title}
        closeButtonProps={{ 'aria-label': 'Close' }}
        closeOnClickOutside={write.data === undefined}
      >
        {write.data === undefined ? (
          <SecretForm {...props} error={write.error} isPending={write.isPending} onSubmit={write.mutate} />
        ) : (
          <Result {...write.data} secretLabel={props.secretLabel} onClose={close} />
        )}
      </Modal>
    </>
  );
}

interface SecretFormProps extends SecretActionProps {
  readonly error: unknown;
  readonly isPending: boolean;
  onSubmit(): void;
}

function SecretForm({ children, error, isPending, isReady, confirmLabel, command, call, onSubmit }: SecretFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {children}
        <Equivalents command={command} call={call} />
        {error ? <ErrorPanel error={error} /> : undefined}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={!isReady}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Result({ id, secret, secretLabel, onClose }: SecretResult & { secretLabel: string; onClose(): void }) {
  return (
    <Stack gap="sm">
      <Text>
        Done: <bdi>{id}</bdi>
      </Text>
      {secret === undefined ? undefined : (
        <Alert color="green" variant="light" role="status" title={secretLabel}>
          <Text size="sm">Copy it now: the server stores only its hash, and it is not shown again.</Text>
          <Group mt="xs" wrap="nowrap" align="flex-start">
            <Code
              block
              flex={1}
              tabIndex={0}
              aria-label={secretLabel}
              style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
            >
              {secret}
            </Code>
            <CopyTextButton text={secret} label="Copy" />
          </Group>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
