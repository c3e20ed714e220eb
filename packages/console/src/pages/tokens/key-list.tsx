/** The signing keys with their states, and their rotation. */
import { Badge, Code, Group, ScrollArea, Stack, Table, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { formatTime } from '../../components/server-time.tsx';

const queryKey = ['keys'];
const stateColors = { current: 'green', next: 'blue', retired: 'yellow', expired: 'gray' } as const;

export function KeyList() {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const keys = useQuery({ queryKey, queryFn: ({ signal }) => unwrap(control.GET('/keys', { signal })) });
  const rotate = useMutation({
    mutationFn: () => unwrap(control.POST('/keys/rotate')),
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (
    <Stack gap="xs" component="section">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Signing keys
        </Title>
        <PermittedButton
          operation="POST /_iam/keys/rotate"
          variant="default"
          loading={rotate.isPending}
          onClick={() => rotate.mutate()}
        >
          Rotate the key
        </PermittedButton>
      </Group>
      {keys.error ? <ErrorPanel error={keys.error} onRetry={keys.refetch} /> : undefined}
      {rotate.error ? <ErrorPanel error={rotate.error} /> : undefined}
      <ScrollArea viewportProps={{ tabIndex: 0, 'aria-label': 'Signing keys' }}>
        <Table aria-label="Signing keys" miw={900}>
          <Table.Thead>
            <Table.Tr>
              {['Key', 'State', 'Algorithm', 'Created', 'Its tokens are accepted until'].map((title) => (
                <Table.Th key={title} scope="col">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.data?.map(({ kid, state, alg, createdAt, expiresAt }) => (
              <Table.Tr key={kid}>
                <Table.Td>
                  <Code>{kid}</Code>
                </Table.Td>
                <Table.Td>
                  <Badge color={stateColors[state]}>{state}</Badge>
                </Table.Td>
                <Table.Td>{alg}</Table.Td>
                <Table.Td>{formatTime(createdAt)}</Table.Td>
                <Table.Td>{expiresAt === undefined ? 'their own expiry' : formatTime(expiresAt)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      <Equivalents command="keys rotate" call={{ method: 'POST', path: '/_iam/keys/rotate' }} />
    </Stack>
  );
}
