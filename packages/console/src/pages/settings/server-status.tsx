/** Whether the server responds and accepts writes, and which version it is. */
import { Badge } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { ObjectFacts } from '../../components/object-facts.tsx';
import { PageSection } from '../../components/section.tsx';
import { useServerStatus } from './use-server-status.ts';

export function ServerStatus() {
  const { data, error, refetch } = useServerStatus();
  return (
    <PageSection title="Status">
      {error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : undefined}
      {data === undefined ? undefined : (
        <ObjectFacts
          label="Status"
          facts={{
            Health: <StatusBadge text={data.health?.status} good="ok" />,
            Readiness: <StatusBadge text={data.readiness?.status} good="ready" />,
            Store: <StatusBadge text={data.readiness?.store} good="writable" />,
            'Audit log':
              data.readiness?.audit === undefined ? undefined : (
                <StatusBadge text={data.readiness?.audit} good="written" />
              ),
            Version: data.index?.version,
            Interface: data.index?.interface,
          }}
        />
      )}
    </PageSection>
  );
}

function StatusBadge({ text = 'unknown', good }: { readonly text?: string | undefined; readonly good: string }) {
  return text === good ? text : <Badge color="red">{text}</Badge>;
}
