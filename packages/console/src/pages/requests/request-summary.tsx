/** What was called, when and by whom. */
import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ControlData } from '../../api/clients.ts';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { ServerTime } from '../../components/server-time.tsx';
import { formatDuration, RequestCaller, RequestStatus } from './request-columns.tsx';

export type RequestRecord = ControlData<'/requests/{id}'>;

export function RequestSummary({ request }: { readonly request: RequestRecord }) {
  const { id, at, operation, errors, method, path, milliseconds, fault, flow, callerRequestId, traceId } = request;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <RequestStatus request={request} />
        <Text fw={600}>{operation ?? 'No operation'}</Text>
        {errors.map((code) => (
          <Code key={code}>{code}</Code>
        ))}
      </Group>
      <Code
        block
        tabIndex={0}
        aria-label="Method and path"
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {method} {path}
      </Code>
      <ObjectFacts
        label="Request"
        facts={{
          Caller: (
            <>
              <RequestCaller request={request} isPlain />
              {request.byConsole ? ', by the console' : undefined}
            </>
          ),
          Sent: <ServerTime at={at} />,
          Duration: formatDuration(milliseconds),
          Fault: fault,
          Login: flow === undefined ? undefined : <FlowLink flow={flow} />,
          'Request id': id,
          'Request id of the caller': callerRequestId,
          'Trace id': traceId,
        }}
      />
    </Stack>
  );
}

/** To all requests of one login with a browser, or of a device. */
function FlowLink({ flow }: { readonly flow: string }) {
  return (
    <Anchor component={Link} to="/requests" search={{ flow } as never} inherit underline="always">
      All requests of this login
    </Anchor>
  );
}
