/** Which of some resources an entry means, by the rules with which documents are matched. Pure. */
import type { ResourceKind } from '../plan/model/changes.ts';
import type { DesiredState, DocumentEntry } from '../plan/model/desired-entries.ts';
import { emptyRemoteState, type RemoteState } from '../plan/model/remote-state.ts';
import { createResourceIndex } from '../plan/model/resource-index.ts';
import { findResource } from '../plan/resources/index.ts';

type Row = Readonly<Record<string, unknown>>;

const nothingDesired: DesiredState = { groups: [], clients: [], apiKeys: [], corporateGroups: [], customers: [] };

/** The rows of a list of the server that an entry means. A document would mean the last one. */
export function findMatches(kind: ResourceKind, entry: DocumentEntry, rows: readonly Row[]): readonly Row[] {
  const resource = findResource(kind);
  if (!resource) throw new TypeError(`${kind} has no entries in documents.`);
  const indexOf = (some: readonly Row[]) => {
    const listed = kind === 'group' ? new Map(some.map((row) => [row.groupName, row])) : some;
    return createResourceIndex(nothingDesired, {
      ...emptyRemoteState,
      [resource.list]: listed,
    } as unknown as RemoteState);
  };
  const document = resource.parse(entry, '');
  const stored = resource.toStored?.(document, indexOf(rows)) ?? document;
  return rows.filter((row) => resource.find(stored, indexOf([row])) !== undefined);
}
