/** Signs in as a user without a password, a test feature, and shows the token once. */
import { Alert, Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import { useChanged } from '../../../api/use-changed.ts';
import { CopyTextButton } from '../../../components/copy-text-button.tsx';
import { Equivalents, quotePositional } from '../../../components/equivalents.tsx';
import { ErrorPanel } from '../../../components/error-panel.tsx';
import { PermittedButton } from '../../../components/permitted-button.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

const levels = ['AUTH-IDENTIFIED', 'AUTH-BASIC', 'AUTH-MFA'] as const;

export function SignInAs({ user: { userId, userName } }: { readonly user: ShownUser }) {
  const { control, location } = useConsole();
  const changed = useChanged(userQueries);
  const [isOpen, dialog] = useDisclosure(false);
  const [level, setLevel] = useState<(typeof levels)[number]>('AUTH-BASIC');
  const body = { userId, level };
  const signIn = useMutation({
    mutationFn: () => unwrap(control.POST('/sessions', { body: body as never })),
    gcTime: 0,
    onSuccess: changed,
  });
  // The token is only in the state of this dialog.
  const close = () => {
    signIn.reset();
    dialog.close();
  };
  const token = signIn.data?.accessToken;
  const url = `${window.location.origin}${location.basePath}/security/iam/v1/groups`;
  return (
    <>
      <PermittedButton operation="POST /_iam/sessions" variant="default" onClick={dialog.open}>
        Sign in as
      </PermittedButton>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Sign in as ${userName}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack gap="sm">
          <NativeSelect
            label="Level"
            data={[...levels]}
            value={level}
            onChange={({ currentTarget }) => {
              setLevel(currentTarget.value as typeof level);
              signIn.reset();
            }}
            data-autofocus
          />
          <Group>
            <Button onClick={() => signIn.mutate()} loading={signIn.isPending}>
              Sign in
            </Button>
          </Group>
          {signIn.error ? <ErrorPanel error={signIn.error} /> : undefined}
          {token === undefined ? undefined : (
            <Alert color="green" variant="light" role="status" title="Signed in">
              <Text size="sm">The token is shown only here, and not again after this dialog.</Text>
              <Group mt="xs">
                <CopyTextButton text={token} label="Copy the access token" />
                <CopyTextButton text={`curl -H 'Authorization: Bearer ${token}' ${url}`} label="Copy a curl call" />
              </Group>
            </Alert>
          )}
          <Equivalents
            command={`sessions create ${quotePositional(userId)} --level ${level} --show-token`}
            call={{ method: 'POST', path: '/_iam/sessions', body }}
          />
        </Stack>
      </Modal>
    </>
  );
}
