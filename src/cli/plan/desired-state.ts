/** Converts documents to the desired state and validates it without the server. Pure. */

import type { Diagnostic, Documents, SourcePosition } from './documents.ts';
import type { PlanIssue } from './model/changes.ts';
import type { DesiredEntry, DesiredState } from './model/desired-entries.ts';
import type { RemoteState } from './model/remote-state.ts';
import { createResourceIndex } from './model/resource-index.ts';
import type { Resource } from './resource.ts';
import { documentResources } from './resources/index.ts';
import { reservedResourceNames } from './value-schemas.ts';

/** Builds the desired state. Skips entries without required fields, which are reported as diagnostics elsewhere. */
export function buildDesiredState({ set, entries }: Pick<Documents, 'set' | 'entries'>): DesiredState {
  const lists = documentResources.map(({ list, schema, parse }) => {
    const isComplete = (entry: Documents['entries'][typeof list][number]) =>
      (schema.required ?? []).every((name) => entry[name] !== undefined);
    return [list, entries[list].flatMap((entry, at) => (isComplete(entry) ? [parse(entry, `${list}/${at}`)] : []))];
  });
  return { ...(set === undefined ? {} : { set }), ...Object.fromEntries(lists) } as DesiredState;
}

/** Returns the desired state with names as the server stores them, as far as it was read. */
export function withStoredNames(desired: DesiredState, state: RemoteState): DesiredState {
  const index = createResourceIndex(desired, state);
  const lists = documentResources.flatMap(({ list, toStored }) => {
    if (!toStored || state[list] === undefined) return [];
    const text = JSON.stringify(desired[list]);
    if (text === text.normalize('NFC')) return [];
    return [[list, desired[list].map((entry: DesiredEntry) => toStored(entry, index))] as const];
  });
  return lists.length === 0 ? desired : { ...desired, ...Object.fromEntries(lists) };
}

/** Returns errors that do not depend on the server: duplicate names, reserved roles and names, incomplete customers. */
export function validateDesiredState(
  desired: DesiredState,
  { findPosition }: Pick<Documents, 'findPosition'>,
): Diagnostic[] {
  const duplicates = documentResources.flatMap((resource) => findDuplicates(resource, desired));
  const issues: PlanIssue[] = [
    ...duplicates.map(({ path, name, first }) => ({
      path,
      message: `duplicate ${name}${formatFirstPosition(findPosition(first))}`,
    })),
    ...documentResources.flatMap((resource) => resource.validate(desired[resource.list])),
    ...documentResources.flatMap((resource) => findReservedNames(resource, desired)),
  ];
  return issues.map(({ path, message }) => ({ position: findPosition(path), message }));
}

function formatFirstPosition(position: SourcePosition | undefined): string {
  return position ? `; first in ${position.file}:${position.line}` : '';
}

interface Duplicate {
  readonly path: string;
  readonly name: string;
  readonly first: string;
}

function findDuplicates({ list, uniqueNames }: Resource, desired: DesiredState): Duplicate[] {
  const seen = new Map<string, string>();
  return desired[list].flatMap((entry: DesiredEntry) =>
    uniqueNames(entry).flatMap((name) => {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, entry.path);
      return first === undefined ? [] : [{ path: entry.path, name, first }];
    }),
  );
}

function findReservedNames({ list, nameField = '' }: Resource, desired: DesiredState): PlanIssue[] {
  return desired[list].flatMap((entry: DesiredEntry) => {
    const name = (entry as DesiredEntry & Readonly<Record<string, unknown>>)[nameField];
    return typeof name === 'string' && reservedResourceNames.has(name)
      ? [{ path: `${entry.path}/${nameField}`, message: `${name} is a reserved word` }]
      : [];
  });
}
