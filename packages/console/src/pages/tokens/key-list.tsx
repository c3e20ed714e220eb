/** The signing keys with their states, and their rotation. */
import { Badge, Code, ScrollArea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useChanged } from '../../api/use-changed.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Equivalents } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { PageSection } from '../../components/section.tsx';
import { RelativeTime } from '../../components/server-time.tsx';

const rotateKey: ApiRequest = ({ control }) => control.POST('/keys/rotate');
const stateColors = { current: 'green', next: 'blue', retired: 'yellow', expired: 'gray' } as const;

export function KeyList() {
  const clients = useConsole();
  const changed = useChanged(['keys']);
  const keys = useRead(['keys'], ({ control }, signal) => control.GET('/keys', { signal }));
  const rotate = useMutation({ mutationFn: () => unwrap(rotateKey(clients)), onSuccess: changed });
  return (
    <PageSection
      title="Signing keys"
      actions={
        <PermittedButton
          operation="POST /_iam/keys/rotate"
          variant="default"
          loading={rotate.isPending}
          onClick={() => rotate.mutate()}
        >
          Rotate the key
        </PermittedButton>
      }
    >
      {keys.error ? <ErrorPanel error={keys.error} onRetry={keys.refetch} /> : undefined}
      {rotate.error ? <ErrorPanel error={rotate.error} /> : undefined}
      <ScrollArea viewportProps={{ tabIndex: 0, 'aria-label': 'Signing keys' }}>
        <DataTable
          aria-label="Signing keys"
          miw={900}
          titles={['Key', 'State', 'Algorithm', 'Created', 'Its tokens are accepted until']}
          rows={(keys.data ?? []).map(({ kid, state, alg, createdAt, expiresAt }) => ({
            key: kid,
            cells: [
              <Code key="kid">{kid}</Code>,
              <Badge key="state" color={stateColors[state]}>
                {state}
              </Badge>,
              alg,
              <RelativeTime key="created" at={createdAt} />,
              expiresAt === undefined ? 'their own expiry' : <RelativeTime key="expiry" at={expiresAt} />,
            ],
          }))}
        />
      </ScrollArea>
      <Equivalents command="keys rotate" call={rotateKey} />
    </PageSection>
  );
}
