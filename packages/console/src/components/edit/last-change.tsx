/** Who changed an object last: for those whose own change was rejected because of it. */
import { Text } from '@mantine/core';
import { usePermission } from '../../api/use-permission.ts';
import { useRead } from '../../api/use-read.ts';
import { AuditActor, type ShownEvent } from '../changes/audit-actor.tsx';
import { RelativeTime } from '../server-time.tsx';

export interface EditedObject {
  readonly entity: ShownEvent['objects'][number]['entity'];
  readonly id: string;
}

export function LastChange({ entity, id }: EditedObject) {
  const { isAllowed } = usePermission('GET /_iam/audit');
  const query = { entity, object: id, changed: true, limit: 1 } as const;
  const { data } = useRead(
    ['audit', 'last', query],
    ({ control }, signal) => control.GET('/audit', { params: { query }, signal }),
    { enabled: isAllowed, retry: false },
  );
  const event = data?.[0];
  if (event === undefined) return undefined;
  return (
    <Text size="sm">
      The last change: <AuditActor event={event} isPlain />, <RelativeTime at={event.time} /> ({event.operation}).
    </Text>
  );
}
