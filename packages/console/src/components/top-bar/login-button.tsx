/** Who is logged in, with the way out. Hidden on a server that requires no login. */
import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLogin } from '../../api/caller.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { Icon } from '../icon.tsx';

/** A reload deletes everything that the page has read, and its token. */
const forget = () => window.location.reload();

export function LoginButton() {
  const { control } = useConsole();
  const login = useLogin();
  const revoke = useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: (token: string) => unwrap(control.POST('/revoke', { body: { token } })),
    onSuccess: forget,
  });
  if (!login) return undefined;
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        maw={{ base: '100%', sm: 200 }}
        leftSection={<Icon name="user" />}
        title={`Log out ${login.subject}`}
        loading={revoke.isPending}
        onClick={() => revoke.mutate(login.accessToken)}
      >
        <Text component="span" inherit truncate>
          Log out {login.subject}
        </Text>
      </Button>
      <ConfirmDialog
        title="The token was not revoked"
        isOpen={revoke.isError}
        confirmLabel="Log out of this page only"
        isPending={false}
        error={revoke.error}
        onConfirm={forget}
        onCancel={revoke.reset}
      >
        Without this request, the server accepts the token until it expires.
      </ConfirmDialog>
    </>
  );
}
