/** Objects that differ, each with its fields. */
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { memo } from 'react';
import { FieldLineList, type NameOfId } from '../../components/changes/field-line-list.tsx';
import { ActionBadge, nounOf } from '../../components/changes/lost-objects.tsx';
import { Icon } from '../../components/icon.tsx';
import { Subject, type SubjectKind } from '../../components/subject.tsx';
import { formatCount } from '../../components/texts/format-count.ts';
import type { ComparedEntity, ComparedObjects } from './use-object-diff.ts';

export type DiffSummary = Pick<ComparedObjects, 'counts' | 'internals'>;
type ObjectDifference = ComparedObjects['objects'][number];

export const entityTitles: Readonly<Record<ComparedEntity, string>> = {
  user: 'Users',
  group: 'Groups',
  client: 'Clients',
  apiKey: 'API keys',
  business: 'Businesses',
  corporateGroup: 'Corporate groups',
  customer: 'Customers',
  product: 'Products',
  provider: 'Providers',
  logon: 'Logons',
  session: 'Sessions',
  message: 'Messages',
};

/** Those of which the console has pages. */
const subjectKinds: Partial<Readonly<Record<ComparedEntity, SubjectKind>>> = {
  ...{ user: 'user', group: 'group', client: 'client', apiKey: 'apiKey', business: 'business' },
  ...{ corporateGroup: 'corporateGroup', customer: 'customer' },
};

export function ObjectDiffList({ pages }: { readonly pages: readonly ComparedObjects[] }) {
  return (
    <ul className="object-diff" aria-label="Objects that differ">
      {pages.map((page, at) => (
        <DiffPage key={String(at)} page={page} />
      ))}
    </ul>
  );
}

/** Stays as it is while further pages are read. */
const DiffPage = memo(function DiffPage({ page: { objects, names } }: { readonly page: ComparedObjects }) {
  const found = new Map(names.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
  const nameOf: NameOfId = (kind, id) => found.get(`${kind} ${id}`);
  return objects.map((object) => (
    // Of another comparison, the same object is another difference.
    <li key={`${object.entity} ${object.id} ${object.action}`}>
      <DifferingObject object={object} nameOf={nameOf} />
    </li>
  ));
});

/** All fields of a new or a deleted object would be noise: they are folded at first. */
function DifferingObject({ object, nameOf }: { readonly object: ObjectDifference; readonly nameOf: NameOfId }) {
  const { entity, action, fields } = object;
  const [isOpen, { toggle }] = useDisclosure(action === 'changed');
  const lines = <FieldLineList entity={entity} fields={fields} nameOf={nameOf} />;
  return (
    <>
      <div className="object-diff-head">
        <ActionBadge action={action} />
        <span className="object-diff-kind">{nounOf(entity)}</span>
        <ObjectName object={object} />
        <Button
          className="object-diff-fields"
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-expanded={isOpen}
          rightSection={<Icon name={isOpen ? 'chevron-up' : 'chevron'} />}
          onClick={toggle}
        >
          {formatCount(fields.length, 'field')}
        </Button>
      </div>
      {isOpen ? lines : undefined}
    </>
  );
}

/** An object that the second state lacks has no page. */
function ObjectName({ object: { entity, id, name, action } }: { readonly object: ObjectDifference }) {
  const kind = subjectKinds[entity];
  if (kind !== undefined) return <Subject kind={kind} id={id} name={name} isPlain={action === 'deleted'} />;
  return (
    <span className="subject">
      <bdi>{name ?? id}</bdi>
    </span>
  );
}
