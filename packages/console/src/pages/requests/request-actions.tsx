/** What can be done with a request: repeat it, inject its error again, and open its caller. */
import { Button, Group } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useConsole } from '../../api/console-context.ts';
import { CopyTextButton } from '../../components/copy-text-button.tsx';
import { formatCurl, quoteShellArgument } from '../../components/equivalents.tsx';
import type { RequestRecord } from './request-summary.tsx';

interface RequestActionsProps {
  readonly request: RequestRecord;
  /** The authentication method; undefined until it is known. */
  readonly authMethod: string | undefined;
}

/** Injected if the request was successful. */
const defaultStatus = 503;

export function RequestActions({ request, authMethod }: RequestActionsProps) {
  const { location } = useConsole();
  const pages = useRouter().routesByPath as Readonly<Record<string, unknown>>;
  const { operation, status = 0, caller, userId, clientId } = request;
  const [callerPage, callerId] = userId === undefined ? ['/clients', clientId] : ['/users', userId];
  return (
    <Group gap="xs">
      <CopyTextButton
        text={formatRequestCurl(`${window.location.origin}${location.basePath}`, request, authMethod)}
        label="Copy as curl"
      />
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

/** The call without secrets: curl asks for the secret of a client, and a token or key is a variable of the shell. */
function formatRequestCurl(baseUrl: string, request: RequestRecord, authMethod: string | undefined): string {
  const { method, path, query, body, clientId } = request;
  const text = new URLSearchParams(query).toString();
  const own = baseUrl.slice(new URL(baseUrl).origin.length);
  const pathBelow = own !== '' && path.startsWith(`${own}/`) ? path.slice(own.length) : path;
  const call = formatCurl(baseUrl, { method, path: `${pathBelow}${text === '' ? '' : `?${text}`}`, body });
  if (authMethod === 'basic' && clientId !== undefined) return `${call} -u ${quoteShellArgument(clientId)}`;
  if (authMethod === 'api-key') return `${call} -H "X-Api-Key: $API_KEY"`;
  return authMethod === 'bearer' ? `${call} -H "Authorization: Bearer $TOKEN"` : call;
}
