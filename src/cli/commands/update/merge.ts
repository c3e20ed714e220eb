/** What an update makes of an entity, and how it differs: from options, which change what they name, or from a file. Pure. */

import type { JsonSchema, ManifestOperation } from '../../../contract/manifest-types.ts';
import { usageError } from '../../errors.ts';
import {
  type ComparisonRules,
  describeDifferences,
  describeField,
  type EntityFields,
  formatEntry,
  formatFieldValue,
  isRow,
  isSame,
  keyOfEntry,
  normalizeEntry,
  removedEntries,
  toList,
  toStoredSpelling,
} from '../../request/differences.ts';
import { setAtPath, toKebabCase } from '../../request/field-options.ts';

/** The changes that options name. */
export interface ResourceEdit {
  /** Values by field; null clears the field. Fields of an object are merged into it. */
  readonly set: EntityFields;
  /** Entries of lists by field. */
  readonly add: Readonly<Record<string, readonly unknown[]>>;
  readonly remove: Readonly<Record<string, readonly unknown[]>>;
}

/** The questions about an entity. */
export interface EditDialog {
  readonly fields: readonly string[];
  /** Asks about these fields. @returns the edit of the answers to all questions so far */
  ask(fields: readonly string[]): Promise<ResourceEdit>;
}

/** How the fields of a body are compared and written. */
export interface BodyRules extends ComparisonRules {
  /** The write changes only what is sent (PATCH), so that null clears a field. Otherwise it replaces the entity (PUT). */
  readonly isPartial: boolean;
  /** Fields whose value a read hides: they are sent only if they change. */
  readonly hidden?: readonly string[];
  /** Fields of an entity that a write changes even if it sends the value that they have: it becomes verified. */
  listUnverified?(entity: EntityFields): readonly string[];
}

export interface Merge {
  /** The fields of the body after the write. */
  readonly after: EntityFields;
  /** Fields that are sent although their value is the same. */
  readonly verified?: readonly string[];
  /** Fields whose values are lost without being named: lists that are replaced, and fields that a file leaves out. */
  readonly losing: readonly string[];
}

/** A merge for a person. */
export interface MergeText {
  /** A line for each difference; empty if there is nothing to write. */
  readonly differences: readonly string[];
  /** What is lost without being named: entries of a list that is replaced, and fields that a file leaves out. */
  readonly losses: readonly string[];
}

/** Describes a merge, with the names of the rules. */
export function describeMerge(
  entity: EntityFields,
  { after, verified = [], losing }: Merge,
  rules: BodyRules,
): MergeText {
  const before = pickBody(entity, rules);
  const format = (field: string, value: unknown) => formatFieldValue(field, value, rules);
  return {
    differences: [
      ...describeDifferences(before, after, rules),
      ...verified.map(
        (field) => `~ ${field}: ${format(field, before[field])} (not verified) -> ${format(field, after[field])}`,
      ),
    ],
    losses: losing.flatMap((field) =>
      Array.isArray(before[field])
        ? removedEntries(field, before[field], after[field], rules)
        : [`${field} ${format(field, before[field])}`],
    ),
  };
}

/** Applies the edit and leaves all other fields as they are. @throws CliError (exit 2) for an entry that is added and removed */
export function mergeEdit(entity: EntityFields, edit: ResourceEdit, rules: BodyRules): Merge {
  const before = pickBody(entity, rules);
  const after: Record<string, unknown> = structuredClone(before);
  for (const [field, value] of Object.entries(edit.set)) {
    if (!isRow(value)) after[field] = toStoredSpelling(rules.schema.properties?.[field], value) ?? undefined;
    else {
      const isHidden = rules.hidden?.includes(field) === true;
      const known = isHidden ? undefined : after[field];
      if (isHidden) assertComplete(field, value, rules);
      after[field] = { ...(isRow(known) ? known : {}), ...value };
    }
  }
  for (const field of new Set([...Object.keys(edit.add), ...Object.keys(edit.remove)])) {
    const key = (entry: unknown) => keyOfEntry(field, entry, rules);
    const removed = new Set((edit.remove[field] ?? []).map(key));
    const both = (edit.add[field] ?? []).find((entry) => removed.has(key(entry)));
    if (both !== undefined)
      throw usageError(
        `The ${formatEntry(field, both, rules)} is both added and removed; nothing was sent.`,
        'Name it once: to add it, or to remove it.',
      );
    const all = [
      ...toList(after[field]),
      ...(edit.add[field] ?? []).map((entry) => normalizeEntry(field, entry, rules)),
    ];
    const entries = new Map(all.map((entry) => [key(entry), entry]));
    after[field] = [...entries].flatMap(([name, entry]) => (removed.has(name) ? [] : [entry]));
  }
  const verified = (rules.listUnverified?.(entity) ?? []).filter(
    (field) => edit.set[field] !== undefined && edit.set[field] !== null && isSame(before[field], after[field]),
  );
  return {
    after,
    verified,
    losing: Object.keys(edit.set).filter((field) => Array.isArray(edit.set[field]) && Array.isArray(before[field])),
  };
}

/** The parts of a masked field that are not named cannot be kept. @throws CliError (exit 2) if a required one is missing */
function assertComplete(field: string, value: EntityFields, { schema }: BodyRules): void {
  const missing = (schema.properties?.[field]?.required ?? []).filter((name) => value[name] === undefined);
  if (missing.length === 0) return;
  const flags = missing.map((name) => `--${toKebabCase(field)}.${toKebabCase(name)}`);
  throw usageError(
    `${field} lacks ${missing.join(' and ')}; nothing was sent.`,
    `The server returns ${field} masked, so its parts change together: add ${flags.join(' and ')}.`,
  );
}

/** Replaces the entity with the fields of a file: what the file leaves out is cleared, if the write can clear it. */
export function mergeFile(entity: EntityFields, file: EntityFields, rules: BodyRules): Merge {
  const before = pickBody(entity, rules);
  const missing = (rules.schema.required ?? []).filter((field) => (file[field] ?? undefined) === undefined);
  if (missing.length > 0)
    throw usageError(
      `The file lacks ${missing.join(', ')}, which cannot be removed; nothing was sent.`,
      `To keep ${missing.length === 1 ? 'it' : 'them'}, add ${missing.map((field) => `${field}: ${formatFieldValue(field, before[field], rules)}`).join(', ')}.`,
    );
  const after: Record<string, unknown> = {};
  for (const [field, schema] of Object.entries(rules.schema.properties ?? {})) {
    const value = file[field];
    const isCleared = value === null && isClearable(schema);
    if (value !== undefined && !isCleared) after[field] = toStoredSpelling(schema, value);
    else if (rules.hidden?.includes(field) || (rules.isPartial && !isClearable(schema) && schema.type !== 'array'))
      // A field that cannot be read or cleared stays.
      after[field] = before[field];
    else if (schema.type === 'array') after[field] = [];
  }
  const omitted = Object.keys(before).filter((field) => file[field] === undefined);
  const emptied = Object.keys(after).filter((field) => Array.isArray(before[field]) && Array.isArray(after[field]));
  const cleared = omitted.filter((field) => !Array.isArray(before[field]) && after[field] === undefined);
  return { after, losing: [...emptied, ...cleared] };
}

/** The body of the write. A partial one has the changed fields only. */
export function buildBody(
  entity: EntityFields,
  { after, verified = [] }: Pick<Merge, 'after' | 'verified'>,
  rules: BodyRules,
): EntityFields {
  const before = pickBody(entity, rules);
  const fields = Object.keys(rules.schema.properties ?? {});
  const isChanged = (field: string) =>
    verified.includes(field) || describeField(field, before[field], after[field], rules).length > 0;
  const isSent = (field: string) =>
    rules.isPartial || rules.hidden?.includes(field) ? isChanged(field) : after[field] !== undefined;
  return Object.fromEntries(fields.filter(isSent).map((field) => [field, after[field] ?? null]));
}

/** The fields of an entity that its update accepts. */
export function pickBody(entity: EntityFields, { schema }: BodyRules): EntityFields {
  const names = Object.keys(schema.properties ?? {}).filter((name) => entity[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, entity[name]]));
}

/** Whether null clears the field. */
export function isClearable({ anyOf, type }: JsonSchema): boolean {
  return type === 'null' || (anyOf?.some((one) => one.type === 'null') ?? false);
}

/** Whether an update can clear the field at a path. */
export function canBeCleared({ method, body }: ManifestOperation, [name = '', ...rest]: readonly string[]): boolean {
  const schema = body?.properties?.[name] ?? {};
  if (rest.length > 0 || schema['x-only-for']) return false;
  return method === 'PATCH' ? isClearable(schema) : !body?.required?.includes(name);
}

/** Merges the values of nested fields into one object: `userMobile.areaCode`. */
export function toNested(fields: readonly (readonly [path: readonly string[], value: unknown])[]): EntityFields {
  const row: Record<string, unknown> = {};
  for (const [path, value] of fields) setAtPath(row, path, value);
  return row;
}
