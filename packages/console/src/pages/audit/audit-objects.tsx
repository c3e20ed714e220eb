/** Which objects an event is about, by name. */
import { Group, Text } from '@mantine/core';
import type { ShownEvent } from '../../components/changes/audit-actor.tsx';
import { Subject, type SubjectKind } from '../../components/subject.tsx';

type AuditObject = ShownEvent['objects'][number];

const subjectKinds: readonly string[] = [
  ...(['user', 'client', 'group', 'business', 'corporateGroup', 'customer', 'apiKey'] satisfies SubjectKind[]),
];

function isSubjectKind(kind: string): kind is SubjectKind {
  return subjectKinds.includes(kind);
}

/** @param exceptId the object whose page shows the event */
interface AuditObjectsProps extends Pick<ShownEvent, 'objects'> {
  readonly exceptId?: string;
  readonly isPlain?: boolean;
  /** How many are listed: a seed is about hundreds. */
  readonly limit?: number;
}

export function AuditObjects({ objects, exceptId, isPlain = false, limit = 2 }: AuditObjectsProps) {
  const others = objects.filter(({ id }) => id !== exceptId);
  if (others.length === 0) return undefined;
  return (
    <Group gap="xs">
      {others.slice(0, limit).map((object) => (
        <AuditObjectName key={`${object.entity} ${object.id}`} object={object} isPlain={isPlain} />
      ))}
      {others.length > limit ? (
        <Text span size="sm" c="dimmed" style={{ flex: 'none' }}>
          +{(others.length - limit).toLocaleString('en')}
        </Text>
      ) : undefined}
    </Group>
  );
}

interface AuditObjectNameProps {
  readonly object: AuditObject;
  readonly isPlain: boolean;
}

function AuditObjectName({ object: { entity, id, name }, isPlain }: AuditObjectNameProps) {
  return (
    <Group component="span" gap={4} wrap="nowrap" align="baseline" miw={0}>
      <Text span size="sm" c="dimmed">
        {entity}
      </Text>
      {isSubjectKind(entity) ? (
        <Subject kind={entity} id={id} name={name} isPlain={isPlain} />
      ) : (
        <bdi>{name ?? id}</bdi>
      )}
    </Group>
  );
}
