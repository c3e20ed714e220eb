/** A user, a client, a group or another object, as every page shows it: its name, the short form of its id, and its page. */
import { UnstyledButton } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { NameKind } from '../api/names-reader.ts';
import { useNames } from '../api/use-names.ts';
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
  if (isPlain)
    return (
      <span className="subject">
        <span className="subject-name">{shown}</span>
        {rest === undefined ? undefined : <span className="subject-id"> {rest}</span>}
      </span>
    );
  return (
    <span className="subject">
      <ObjectLink page={pages[kind]} id={id} className="subject-name">
        {shown}
      </ObjectLink>
      <CopyId id={id}>{rest}</CopyId>
    </span>
  );
}

/** A subject of a response without names: they are read together, in one request for a page. */
export function NamedSubject({ kind, id, isPlain }: Omit<SubjectProps, 'name'>) {
  const nameOf = useNames(kind === 'service' ? [] : [id]);
  return <Subject kind={kind} id={id} isPlain={isPlain} name={kind === 'service' ? id : nameOf(kind, id)} />;
}

const copiedTime = 1500;

/** The short id is the button that copies the whole one; its sign is visible under the mouse and with the focus. */
function CopyId({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  const { copy, copied, error } = useClipboard({ timeout: copiedTime });
  return (
    <UnstyledButton
      className="subject-copy subject-id"
      title={id}
      aria-label={`Copy the id ${id}`}
      onClick={() => copy(id)}
    >
      <span aria-live="polite">{error ? 'Copying is not allowed here' : copied ? 'Copied' : children}</span>
      <CopySign />
    </UnstyledButton>
  );
}

function CopySign() {
  return (
    <svg
      viewBox="0 0 16 16"
      width="12"
      height="12"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5v-1h-8v8h1" />
    </svg>
  );
}
