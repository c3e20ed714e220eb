/** One request: what it was, why it had its response, and its content. */
import { Anchor, Loader, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ControlData } from '../../api/clients.ts';
import { RequestError } from '../../api/errors.ts';
import type { ApiRequest } from '../../api/requests.ts';
import { useRead } from '../../api/use-read.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Equivalents, quotePositional } from '../../components/equivalents.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { PermittedArea } from '../../components/permitted-area.tsx';
import { RequestActions } from './request-actions.tsx';
import { RequestContent } from './request-content.tsx';
import { RequestReason } from './request-reason.tsx';
import { RequestSummary } from './request-summary.tsx';

export function RequestDetailView({ id }: { readonly id: string }) {
  return (
    <PermittedArea operation="GET /_iam/requests/{id}" content="headers, bodies and the reason of the response">
      <RequestContents key={id} id={id} />
    </PermittedArea>
  );
}

function RequestContents({ id }: { readonly id: string }) {
  const params = { path: { id } };
  const readReason: ApiRequest<ControlData<'/requests/{id}/why'>> = ({ control }, signal) =>
    control.GET('/requests/{id}/why', { params, signal });
  const detail = useRead(['request', id], ({ control }, signal) => control.GET('/requests/{id}', { params, signal }));
  const why = useRead(['request', id, 'why'], readReason, { enabled: detail.isSuccess });
  if (detail.error) return <NoRequest id={id} error={detail.error} onRetry={detail.refetch} />;
  if (!detail.data) return <Loader aria-label="Loading" />;
  return (
    <Stack gap="lg">
      <RequestSummary request={detail.data} />
      <RequestActions request={detail.data} />
      {why.error ? <ErrorPanel error={why.error} onRetry={why.refetch} /> : undefined}
      {why.data ? <RequestReason request={detail.data} reason={why.data} /> : undefined}
      <RequestContent request={detail.data} />
      <Equivalents command={`why ${quotePositional(id)}`} call={readReason} />
    </Stack>
  );
}

interface NoRequestProps {
  readonly id: string;
  readonly error: unknown;
  onRetry(): void;
}

function NoRequest({ id, error, onRetry }: NoRequestProps) {
  if (!(error instanceof RequestError) || error.status !== 404) return <ErrorPanel error={error} onRetry={onRetry} />;
  return (
    <Stack gap="md">
      <EmptyState icon="requests" title="This request is not in the log any more">
        {`The log contains only the last requests, and a restart or reset deletes them. The setting request-log-size limits how many are stored. Request id: ${id}`}
      </EmptyState>
      <Anchor component={Link} to="/requests">
        All requests
      </Anchor>
    </Stack>
  );
}
