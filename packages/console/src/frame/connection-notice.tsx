/**
 * Says that the server does not respond, or that it has deleted the sandbox. What the page shows and what was typed remains.
 */
import { Alert } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useConsole } from '../api/console-context.ts';
import { RestoreSandbox } from '../components/restore-sandbox.tsx';

export function ConnectionNotice({ isConnected }: { readonly isConnected: boolean }) {
  const { location, connection } = useConsole();
  const isDeleted = useSyncExternalStore(connection.subscribe, connection.isSandboxDeleted);
  return (
    <div role="status" aria-live="polite">
      {isDeleted && location.sandbox !== undefined ? (
        <Alert color="orange" variant="light" title={`The sandbox ${location.sandbox} was deleted`} mb="md">
          It was deleted from elsewhere, expired, or ended with the server. The page shows what it last received.
          <RestoreSandbox name={location.sandbox} />
        </Alert>
      ) : isConnected ? undefined : (
        <Alert color="orange" variant="light" title="The server does not respond" mb="md">
          The page shows what it last received and connects again by itself.
        </Alert>
      )}
    </div>
  );
}
