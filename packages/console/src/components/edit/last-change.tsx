/** Who changed an object last: for those whose own change was rejected because of it. */
import { Text } from '@mantine/core';
import type { ControlData } from '../../api/clients.ts';
import { usePermission } from '../../api/use-permission.ts';
import { useRead } from '../../api/use-read.ts';
import { RelativeTime } from '../server-time.tsx';
import { Subject } from '../subject.tsx';

type AuditEvent = ControlData<'/audit'>[number];

export interface EditedObject {
  readonly entity: AuditEvent['objects'][number]['entity'];
  readonly id: string;
}

export function LastChange({ entity, id }: EditedObject) {
  const { isAllowed } = usePermission('GET /_iam/audit');
  const query = { entity, object: id, event: 'administration', result: 'granted', limit: 1 } as const;
  const { data } = useRead(
    ['audit', 'last', query],
    ({ control }, signal) => control.GET('/audit', { params: { query }, signal }),
    { enabled: isAllowed, retry: false },
  );
  const event = data?.[0];
  if (event === undefined) return undefined;
  return (
    <Text size="sm">
      The last change: <Actor event={event} />, <RelativeTime at={event.time} /> ({event.operation}).
    </Text>
  );
}

function Actor({ event: { actor } }: { readonly event: AuditEvent }) {
  const { kind, userId, clientId, logon, name } = actor;
  if (userId !== undefined) return <Subject kind="user" id={userId} name={name} isPlain />;
  if (clientId !== undefined) return <Subject kind="client" id={clientId} name={name} isPlain />;
  return <bdi>{logon ?? (kind === 'anonymous' ? 'somebody on this machine' : kind)}</bdi>;
}
