/**
 * Asks for credentials when the server requires them. The page behind the dialog remains, so that nothing that was typed
 * is lost when a token expires.
 */
import { Alert, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useSyncExternalStore } from 'react';
import { callerQueryKey, loginCallerQueryKey, readCallerRoles } from '../../api/caller.ts';
import { useConsole } from '../../api/console-context.ts';
import type { LoginResult } from '../../api/credentials.ts';
import { isForbidden } from '../../api/errors.ts';
import { ErrorPanel } from '../error-panel.tsx';
import { DeletedSandbox } from '../restore-sandbox.tsx';
import { LoginForm } from './login-form.tsx';

/** Dialogs are at 200, and what opens in them at 300. */
const aboveDialogs = 400;

export function LoginGate({ children }: { readonly children: ReactNode }) {
  const { credentials } = useConsole();
  const isRequired = useSyncExternalStore(credentials.subscribe, credentials.isLoginRequired);
  const acceptance = useAcceptance();
  useDialogsKeptOpen();
  // What the page and its dialogs show, such as codes, is hidden until the caller is known again.
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-login-required', isRequired);
  }, [isRequired]);
  return (
    <>
      {children}
      <Modal
        opened={isRequired}
        onClose={() => {}}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        zIndex={aboveDialogs}
        className="login-dialog"
        title="Log in as an administrator"
      >
        <DeletedSandbox>A login is possible when the sandbox exists again.</DeletedSandbox>
        <Stack gap="sm">
          {credentials.get() === undefined ? undefined : (
            <Text size="sm">
              Your login ended: the server rejects its token. The page and what you typed are kept. Nothing is sent
              until you send it again.
            </Text>
          )}
          {isForbidden(acceptance.error) ? (
            <Alert color="red" variant="light" role="alert" title="No access to the console">
              The console requires IAM_ADMIN_READ_ONLY or ADMIN, and a first-party client.{' '}
              <bdi>{acceptance.variables?.subject}</bdi> lacks them: log in as another user or client.
            </Alert>
          ) : acceptance.error ? (
            <ErrorPanel error={acceptance.error} />
          ) : undefined}
          {/* After a rejection, another account is needed. */}
          <LoginForm key={acceptance.error ? acceptance.submittedAt : 0} onLogin={acceptance.mutate} />
        </Stack>
      </Modal>
    </>
  );
}

/** Escape would close the dialogs behind the login, with what was typed in them. */
function useDialogsKeptOpen(): void {
  const { credentials } = useConsole();
  // Before the effects that add the listeners of the dialogs: those of the window run in this order.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && credentials.isLoginRequired()) event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [credentials]);
}

/** Accepts a login if its caller may read. The roles are known before the pages request anything with its token. */
function useAcceptance() {
  const { control, credentials } = useConsole();
  const queryClient = useQueryClient();
  return useMutation({
    // The cache keeps what was sent.
    gcTime: 0,
    mutationFn: ({ accessToken }: LoginResult) => readCallerRoles(control, accessToken),
    onSuccess: (caller, login) => {
      const earlier = credentials.get()?.subject;
      queryClient.setQueryData(loginCallerQueryKey(login.subject), caller);
      credentials.set({ ...login, caller });
      // For the same caller not a reset: pages without data for a moment would lose what was typed in their dialogs.
      if (earlier === undefined || earlier === login.subject) void queryClient.invalidateQueries();
      else void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== callerQueryKey[0] });
    },
    // A token that is not used must not stay valid.
    onError: (_error, { accessToken }) => void control.POST('/revoke', { body: { token: accessToken } }),
  });
}
