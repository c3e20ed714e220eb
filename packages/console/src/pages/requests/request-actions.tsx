/** What can be done with a request: repeat it, inject its error again, and open its caller. */
import { Button, Group } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import type { RequestRecord } from './request-summary.tsx';

interface RequestActionsProps {
  readonly request: RequestRecord;
}

/** Injected if the request was successful. */
const defaultStatus = 503;

export function RequestActions({ request }: RequestActionsProps) {
  const pages = useRouter().routesByPath as Readonly<Record<string, unknown>>;
  const { operation, status = 0, caller, userId, clientId } = request;
  const [callerPage, callerId] = userId === undefined ? ['/clients', clientId] : ['/users', userId];
  return (
    <Group gap="xs">
      <CopyTextButton text={request.curl} label="Copy as curl" />
      {operation === undefined || !('/faults' in pages) ? undefined : (
        <Button
          component={Link}
          to="/faults"
          search={{ operation, status: String(status >= 400 ? status : defaultStatus) } as never}
          size="compact-sm"
          variant="default"
        >
          Make a fault of this
        </Button>
      )}
      {callerId === undefined || !(callerPage in pages) ? undefined : (
        <Button
          component={Link}
          to={`${callerPage}/$`}
          params={{ _splat: callerId } as never}
          size="compact-sm"
          variant="default"
        >
          Open the caller
        </Button>
      )}
      <Button component={Link} to="/requests" search={{ caller } as never} size="compact-sm" variant="default">
        All requests of the caller
      </Button>
    </Group>
  );
}
