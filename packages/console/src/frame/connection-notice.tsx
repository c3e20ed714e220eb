/** Says that the server does not respond. What the page shows and what was typed remains. */
import { Alert } from '@mantine/core';

export function ConnectionNotice({ isConnected }: { readonly isConnected: boolean }) {
  return (
    <div role="status" aria-live="polite">
      {isConnected ? undefined : (
        <Alert color="orange" variant="light" title="The server does not respond" mb="md">
          The page shows what it last received and connects again by itself.
        </Alert>
      )}
    </div>
  );
}
