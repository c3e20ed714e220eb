/** The signing keys with their states, and their rotation. */
import { Badge } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ControlData } from '../../api/clients.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useChanged } from '../../api/use-changed.ts';
import { useRead } from '../../api/use-read.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedButton } from '../../components/permitted-button.tsx';
import { type RowColumn, RowList } from '../../components/row-list.tsx';
import { PageSection } from '../../components/section.tsx';
import { RelativeTime } from '../../components/server-time.tsx';

export const rotateKey: ApiRequest = ({ control }) => control.POST('/keys/rotate');
const stateColors = { current: 'green', next: 'blue', retired: 'yellow', expired: 'gray' } as const;
const purposeNames = { 'access-token': 'Access tokens', 'id-token': 'ID tokens' };

const columns: RowColumn<ControlData<'/keys'>[number]>[] = [
  { title: 'Key', width: 'minmax(14rem, 3fr)', render: ({ kid }) => <span className="id">{kid}</span> },
  {
    title: 'State',
    width: '6rem',
    phone: 'end',
    render: ({ state }) => <Badge color={stateColors[state]}>{state}</Badge>,
  },
  { title: 'Signs', width: '8rem', phone: 'detail', render: ({ purpose }) => purposeNames[purpose] },
  { title: 'Algorithm', width: '6rem', phone: 'detail', render: ({ alg }) => alg },
  {
    title: 'Created',
    isOptional: true,
    width: 'minmax(8rem, 1fr)',
    phone: 'detail',
    render: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    title: 'Accepted until',
    width: 'minmax(8rem, 1fr)',
    render: ({ expiresAt }) => (expiresAt === undefined ? 'their own expiry' : <RelativeTime at={expiresAt} />),
  },
];

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
          Rotate the keys
        </PermittedButton>
      }
    >
      {keys.error ? <ErrorPanel error={keys.error} onRetry={keys.refetch} /> : undefined}
      {rotate.error ? <ErrorPanel error={rotate.error} /> : undefined}
      {keys.data ? (
        <RowList
          label="All signing keys"
          rows={keys.data}
          columns={columns}
          keyOf={({ kid }) => kid}
          isCounted={false}
        />
      ) : undefined}
    </PageSection>
  );
}
