/** What an event changed: each object with its fields before and after. */
import { Stack, Text } from '@mantine/core';
import { describeFields } from '../../../../../src/contract/changes/field-lines.ts';
import type { NameKind } from '../../api/names-reader.ts';
import { useNames } from '../../api/use-names.ts';
import { usePermission } from '../../api/use-permission.ts';
import type { ShownEvent } from '../../components/changes/audit-actor.tsx';
import { FieldLineList, type NameOfId } from '../../components/changes/field-line-list.tsx';

type AuditChange = NonNullable<ShownEvent['changes']>[number];

/** In one line, with equal changes counted: `roles; 4 × membership created`. */
export function summarizeEvent({ changes = [] }: ShownEvent): string {
  const texts = changes.map(({ entity, action, fields }) =>
    action === 'changed' ? listLines(entity, fields).join(', ') : `${entity} ${action}`,
  );
  return countEqual(texts.filter((text) => text !== '')).join('; ');
}

function countEqual(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => (count === 1 ? text : `${count.toLocaleString('en')} × ${text}`));
}

function listLines(entity: string, fields: AuditChange['fields']): string[] {
  return describeFields(entity, fields).changes.map(({ field }) => field);
}

export function EventChanges({ event: { changes = [], changed, objects, truncated } }: { readonly event: ShownEvent }) {
  const values = usePermission('GET /_iam/inbox');
  const find = useNames(changes.flatMap(listReferredIds));
  if (changes.length === 0)
    return (
      <Text c="dimmed">
        {changed ? 'The audit log has no values of this, only of objects such as users.' : 'Nothing was changed.'}
      </Text>
    );
  // Of a membership there is nothing else to say: the event names its objects.
  const memberships = changes.filter(({ entity }) => entity === 'membership');
  const others = changes.filter(({ entity }) => entity !== 'membership');
  const nameOf: NameOfId = (kind, id) =>
    objects.find((object) => object.entity === kind && object.id === id)?.name ??
    (kind === 'service' ? undefined : find(kind as NameKind, id));
  return (
    <Stack gap="sm">
      {countEqual(memberships.map(({ action }) => `membership ${action}`)).map((text) => (
        <Text key={text} size="sm" fw={600}>
          {text}
        </Text>
      ))}
      {others.map((change) => (
        <ChangedObject key={`${change.entity} ${change.id}`} change={change} nameOf={nameOf} />
      ))}
      {values.isAllowed ? undefined : <Text size="sm">Values are not shown. {values.reason}</Text>}
      {truncated ? <Text size="sm">More was changed: changes over 4 kB are left out.</Text> : undefined}
    </Stack>
  );
}

function listReferredIds({ entity, fields }: AuditChange): readonly string[] {
  const lines = describeFields(entity, fields).changes.filter(({ kind }) => kind !== undefined);
  return lines.flatMap(({ before, after, added = [], removed = [] }) =>
    [before, after, ...added, ...removed].filter((id) => id !== undefined),
  );
}

interface ChangedObjectProps {
  readonly change: AuditChange;
  readonly nameOf: NameOfId;
}

function ChangedObject({ change: { entity, id, name, action, fields }, nameOf }: ChangedObjectProps) {
  return (
    <div>
      <Text size="sm" fw={600}>
        <bdi>{`${entity} ${name ?? id} ${action}`}</bdi>
      </Text>
      <FieldLineList entity={entity} fields={fields} nameOf={nameOf} />
    </div>
  );
}
