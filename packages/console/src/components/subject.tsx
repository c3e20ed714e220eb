/** A user, a client, a group or another object, as every page shows it: its name, the short form of its id, and its page. */
import { UnstyledButton } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import type { NameKind } from '../api/names-reader.ts';
import { useNames } from '../api/use-names.ts';
import { Icon } from './icon.tsx';
import { ObjectLink } from './object-link.tsx';
import { shortenId } from './subject-id.ts';

/** A service account has no name of its own: its id is one. */
export type SubjectKind = NameKind | 'service';

const pages: Readonly<Record<SubjectKind, string>> = {
  user: '/users',
  client: '/clients',
  service: '/clients',
  group: '/groups',
  business: '/businesses',
  corporateGroup: '/corporate-groups',
  customer: '/customers',
  apiKey: '/api-keys',
};

export interface SubjectProps {
  readonly kind: SubjectKind;
  readonly id: string;
  /** Without one, for example of a deleted object, the id is in its place. */
  readonly name?: string | undefined;
  /** Inside a title, a button or another link: text only. */
  readonly isPlain?: boolean;
}

export function Subject({ kind, id, name, isPlain = false }: SubjectProps) {
  const shown = <bdi className={name === undefined ? 'subject-id' : undefined}>{name ?? id}</bdi>;
  const rest = name === undefined || name === id ? undefined : shortenId(id);
  const gap = rest === undefined ? undefined : ' ';
  if (isPlain)
    return (
      <span className="subject">
        <span className="subject-name">{shown}</span>
        {gap}
        {rest === undefined ? undefined : <span className="subject-id">{rest}</span>}
      </span>
    );
  return (
    <span className="subject">
      <ObjectLink page={pages[kind]} id={id} className="subject-name">
        {shown}
      </ObjectLink>
      {gap}
      <CopyId id={id}>{rest}</CopyId>
    </span>
  );
}

/** A subject of a response without names: they are read together, in one request for a page. */
export function NamedSubject({ kind, id, isPlain }: Omit<SubjectProps, 'name'>) {
  const nameOf = useNames(kind === 'service' ? [] : [id]);
  return <Subject kind={kind} id={id} isPlain={isPlain} name={kind === 'service' ? id : nameOf(kind, id)} />;
}

interface SubjectListProps {
  readonly kind: SubjectKind;
  readonly subjects: readonly Pick<SubjectProps, 'id' | 'name'>[];
  /** How many there are, also those that are not listed. */
  readonly total?: number;
}

/** Subjects in a sentence: the first of them, and how many follow. */
export function SubjectList({ kind, subjects, total = subjects.length }: SubjectListProps) {
  const render = (subject: SubjectListProps['subjects'][number]) => <Subject kind={kind} {...subject} isPlain />;
  return <JoinedList items={subjects} keyOf={({ id }) => id} render={render} total={total} />;
}

interface JoinedListProps<Item> {
  readonly items: readonly Item[];
  /** How many there are, also those that are not listed. */
  readonly total?: number;
  readonly maxListed?: number;
  keyOf(item: Item): string;
  render(item: Item): ReactNode;
}

/** Things in a sentence: the first of them, and how many follow. */
export function JoinedList<Item>(props: JoinedListProps<Item>) {
  const { items, total = items.length, maxListed = 5, keyOf, render } = props;
  if (total === 0) return 'none';
  const listed = items.slice(0, maxListed);
  const others = total - listed.length;
  return (
    <>
      {listed.map((item, at) => (
        <Fragment key={keyOf(item)}>
          {at === 0 ? '' : ', '}
          {render(item)}
        </Fragment>
      ))}
      {others > 0 ? ` and ${others.toLocaleString('en')} more` : ''}
    </>
  );
}

const copiedTime = 1500;

interface CopyIdProps {
  readonly id: string;
  /** The id, or its short form; without one only the sign is shown. */
  readonly children?: string | undefined;
}

/** An id that is a button to copy it. The sign of that is visible under the mouse and with the focus. */
export function CopyId({ id, children }: CopyIdProps) {
  const { copy, copied, error } = useClipboard({ timeout: copiedTime });
  return (
    <UnstyledButton
      className={children === undefined ? 'subject-copy' : 'subject-copy subject-id'}
      title={id}
      aria-label={`Copy the id ${children ?? id}`}
      onClick={() => copy(id)}
    >
      <span aria-live="polite">{error ? 'Copying is not allowed here' : copied ? 'Copied' : children}</span>
      <Icon name="copy" />
    </UnstyledButton>
  );
}
