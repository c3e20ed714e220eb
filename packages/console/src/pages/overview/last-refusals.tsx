/** The requests that were refused last, each with the way to its reason. */
import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';
import { RowList } from '../../components/row-list.tsx';
import { requestColumns } from '../requests/request-columns.tsx';
import { Panel } from './panel.tsx';

const limit = 5;

/** More than are shown: those of the console are left out. */
const maxRead = 100;

/** Of a sandbox that was deleted: its page reads on, without a caller. Otherwise the log has no such requests. */
const controlPath = /^\/s\/[^/]+\/_iam\//;

/** Requests of other programs with an error of the caller. */
export function useRefusals() {
  const query = useRead(['requests', 'refused'], ({ control }, signal) =>
    control.GET('/requests', { params: { query: { status: '4xx', limit: maxRead } }, signal }),
  );
  return query.data?.filter((request) => !request.byConsole && !controlPath.test(request.path)).slice(0, limit) ?? [];
}

export function LastRefusals() {
  const navigate = useNavigate();
  const data = useRefusals();
  return (
    <Panel title="Last refusals" icon="requests" link={{ to: '/requests', label: 'All requests' }}>
      {data.length === 0 ? (
        <Text c="dimmed">
          No request was refused. One that is appears here, with the reason and the way to mend it.
        </Text>
      ) : (
        <RowList
          label="Last refusals"
          rows={data}
          columns={requestColumns}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/requests/$', params: { _splat: id } as never })}
          isCounted={false}
        />
      )}
    </Panel>
  );
}
