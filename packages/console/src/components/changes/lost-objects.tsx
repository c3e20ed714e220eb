/** Which objects differ from an earlier state: what a return to it changes. */
import { Anchor, Badge, Loader, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/use-read.ts';

/** Objects named in a dialog: the page State has all. */
const maxNamed = 5;

interface LostObjectsProps {
  /** `seed`, or the name of a snapshot. */
  readonly from: string;
  /** Called when the page with all of them is opened. */
  onLeave?(): void;
}

export function LostObjects({ from, onLeave }: LostObjectsProps) {
  const diff = useRead(
    ['diff', 'lost', from],
    // The counts are those of all pages.
    ({ control }, signal) =>
      control.GET('/state/diff/objects', { params: { query: { from, limit: maxNamed } }, signal }),
    { retry: false, staleTime: 0 },
  );
  if (diff.isLoading) return <Loader size="xs" aria-label="Loading" />;
  // Those who may not read the changes may still reset them.
  if (diff.data === undefined) return undefined;
  const { objects, counts } = diff.data;
  const total = counts.reduce((sum, { created, changed, deleted }) => sum + created + changed + deleted, 0);
  if (total === 0) return <Text c="dimmed">No object differs.</Text>;
  return (
    <div>
      <ul className="object-diff" aria-label="Objects that differ">
        {objects.map(({ entity, id, name = id, action }) => (
          <li key={`${entity} ${id}`} className="object-diff-head">
            <ActionBadge action={action} />
            <span className="object-diff-kind">{nounOf(entity)}</span>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" mt={4}>
        {total > objects.length ? `${objects.length} of ${total.toLocaleString('en')} objects. ` : ''}
        <Anchor component={Link} to="/state" search={{ from } as never} inherit underline="always" onClick={onLeave}>
          Compare
        </Anchor>
      </Text>
    </div>
  );
}

export function ActionBadge({ action }: { readonly action: 'created' | 'changed' | 'deleted' }) {
  return (
    <Badge color={action === 'deleted' ? 'red' : 'gray'} w={76} flex="none">
      {action}
    </Badge>
  );
}

/** `corporateGroup` as "corporate group". */
export function nounOf(entity: string): string {
  return entity.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace('api ', 'API ');
}
