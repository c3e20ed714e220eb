/** Who is logged in, with the way out. Hidden on a server that requires no login. */
import { Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useConsole } from '../../api/console-context.ts';

export function LoginButton() {
  const { credentials } = useConsole();
  const current = useSyncExternalStore(credentials.subscribe, credentials.get);
  if (!current) return undefined;
  return (
    // A reload deletes everything that the page has read.
    <Button size="compact-sm" variant="default" onClick={() => window.location.reload()}>
      Log out {current.subject}
    </Button>
  );
}
