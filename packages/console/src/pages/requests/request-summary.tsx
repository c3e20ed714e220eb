/** What was called, when and by whom. */
import { Code, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { paths } from '#control-api';
import { formatTime } from '../../components/server-time.tsx';
import { formatDuration, RequestStatus } from './request-list.tsx';

export type RequestRecord = paths['/requests/{id}']['get']['responses'][200]['content']['application/json'];

export function RequestSummary({ request }: { readonly request: RequestRecord }) {
  const { id, at, operation, errors, method, path, milliseconds, fault, caller, callerRequestId, traceId } = request;
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
      <FactTable
        label="Request"
        facts={[
          ['Caller', caller],
          ['Sent', formatTime(at)],
          ['Duration', formatDuration(milliseconds)],
          ['Fault', fault],
          ['Request id', id],
          ['Request id of the caller', callerRequestId],
          ['Trace id', traceId],
        ]}
      />
    </Stack>
  );
}

interface FactTableProps {
  readonly label: string;
  /** Facts without a value are not shown. */
  readonly facts: readonly (readonly [string, ReactNode])[];
}

export function FactTable({ label, facts }: FactTableProps) {
  return (
    <Table aria-label={label} style={{ overflowWrap: 'anywhere' }} verticalSpacing={4}>
      <Table.Tbody>
        {facts
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w="35%">
                {name}
              </Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
