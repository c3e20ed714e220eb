/**
 * Says that the server does not respond, or that it has deleted the sandbox. What the page shows and what was typed remains.
 */
import { Alert } from '@mantine/core';
import { DeletedSandbox, useSandboxDeleted } from '../components/restore-sandbox.tsx';

export function ConnectionNotice({ isConnected }: { readonly isConnected: boolean }) {
  const isDeleted = useSandboxDeleted();
  return (
    <div role="status" aria-live="polite">
      {isDeleted ? (
        <DeletedSandbox>
          It was deleted from elsewhere, expired, or ended with the server. The page shows what it last received.
        </DeletedSandbox>
      ) : isConnected ? undefined : (
        <Alert color="orange" variant="light" title="The server does not respond" mb="md">
          The page shows what it last received and connects again by itself.
        </Alert>
      )}
    </div>
  );
}
