/** What an event changed: each object with its fields before and after. */
import { Stack, Text } from '@mantine/core';
import { describeFields, type FieldLine } from '../../../../../src/contract/changes/field-lines.ts';
import { usePermission } from '../../api/use-permission.ts';
import type { ShownEvent } from '../../components/changes/audit-actor.tsx';
import { DataTable } from '../../components/data-table.tsx';

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

export function EventChanges({ event: { changes = [], truncated } }: { readonly event: ShownEvent }) {
  const values = usePermission('GET /_iam/inbox');
  if (changes.length === 0) return <Text c="dimmed">Nothing was changed.</Text>;
  // Of a membership there is nothing else to say: the event names its objects.
  const memberships = changes.filter(({ entity }) => entity === 'membership');
  const objects = changes.filter(({ entity }) => entity !== 'membership');
  return (
    <Stack gap="sm">
      {countEqual(memberships.map(({ action }) => `membership ${action}`)).map((text) => (
        <Text key={text} size="sm" fw={600}>
          {text}
        </Text>
      ))}
      {objects.map((change) => (
        <ChangedObject key={`${change.entity} ${change.id}`} change={change} />
      ))}
      {values.isAllowed ? undefined : <Text size="sm">Values are not shown. {values.reason}</Text>}
      {truncated ? <Text size="sm">More was changed: changes over 4 kB are left out.</Text> : undefined}
    </Stack>
  );
}

function ChangedObject({ change: { entity, id, name, action, fields } }: { readonly change: AuditChange }) {
  const { changes, internals } = describeFields(entity, fields);
  const title = `${entity} ${name ?? id} ${action}`;
  return (
    <div>
      <Text size="sm" fw={600}>
        <bdi>{title}</bdi>
      </Text>
      {changes.length === 0 ? undefined : (
        <DataTable
          aria-label={title}
          titles={['Field', 'Before', 'After']}
          rows={changes.map((line) => ({
            key: line.field,
            name: line.field,
            cells: [
              <FieldValue key="before" line={line} side="before" />,
              <FieldValue key="after" line={line} side="after" />,
            ],
          }))}
        />
      )}
      {internals.length === 0 ? undefined : (
        <Text size="sm" c="dimmed">
          and {internals.length} fields of the service
        </Text>
      )}
    </div>
  );
}

function FieldValue({ line, side }: { readonly line: FieldLine; readonly side: 'before' | 'after' }) {
  const { isSecret, added, removed } = line;
  if (isSecret) return side === 'after' ? 'changed, not shown' : undefined;
  const list = side === 'before' ? removed : added;
  if (list === undefined) return <bdi>{line[side]}</bdi>;
  const sign = side === 'before' ? '\u2212' : '+';
  return list.map((entry) => (
    <div key={entry}>
      {sign} <bdi>{entry}</bdi>
    </div>
  ));
}
