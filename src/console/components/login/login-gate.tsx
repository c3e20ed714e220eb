/**
 * Asks for credentials when the server requires them. The page behind the dialog remains, so that nothing that was typed
 * is lost when a token expires.
 */
import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useConsole } from '../../api/console-context.ts';
import type { AdministratorToken } from '../../api/credentials.ts';
import { LoginForm } from './login-form.tsx';

export function LoginGate({ children }: { readonly children: ReactNode }) {
  const { credentials } = useConsole();
  const queryClient = useQueryClient();
  const isRequired = useSyncExternalStore(credentials.subscribe, credentials.isLoginRequired);
  const logIn = (accepted: AdministratorToken) => {
    credentials.set(accepted);
    // Not a reset: pages without data for a moment would lose what was typed in their dialogs.
    void queryClient.invalidateQueries();
  };
  return (
    <>
      {children}
      <Modal
        opened={isRequired}
        onClose={() => {}}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title="Log in as an administrator"
      >
        <LoginForm onLogin={logIn} />
      </Modal>
    </>
  );
}
