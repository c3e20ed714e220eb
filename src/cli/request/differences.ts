/** How two states of an entity differ, as lines for a person: `~ field: old -> new`, `+ entry` and `- entry`. Pure. */

import { normalizeEmail } from '../../contract/email/email-address.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { stripRolePrefix } from '../../contract/roles.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { formatMobile } from '../output/mobile.ts';
import { entityIn, formatNamedId, type NameOf } from '../output/name-columns.ts';
import { toSingular } from './field-options.ts';

export type EntityFields = Readonly<Record<string, unknown>>;

export interface ComparisonRules {
  readonly schema: JsonSchema;
  /** The form of a list entry in which two are compared. */
  normalizeEntry?(field: string, entry: unknown): unknown;
  /** The names of ids that the schema declares as references. */
  readonly nameOf?: NameOf;
}

/** `A` and `ROLE_A` are the same role. */
export function normalizeRole(field: string, entry: unknown): unknown {
  const isRole = field === 'roles' || field === 'authorities';
  return isRole && typeof entry === 'string' ? stripRolePrefix(entry) : entry;
}

/** A value as the server stores it: the domain of an address as A-labels. */
export function toStoredSpelling(schema: JsonSchema | undefined, value: unknown): unknown {
  return typeof value === 'string' && canBeAddress(schema) ? normalizeEmail(value) : value;
}

function canBeAddress({ anyOf = [], ...schema }: JsonSchema = {}): boolean {
  return schema.format === 'idn-email' || schema['x-defines']?.entity === 'user' || anyOf.some(canBeAddress);
}

/** The lines of what differs between two states of an entity. */
export function describeDifferences(
  before: EntityFields,
  after: EntityFields,
  rules: ComparisonRules,
): readonly string[] {
  return Object.entries(rules.schema.properties ?? {}).flatMap(([field, { sensitive }]) =>
    sensitive === 'secret' && before[field] !== after[field]
      ? [`~ ${field}: replaced`]
      : describeField(field, before[field], after[field], rules),
  );
}

export function describeField(
  field: string,
  before: unknown,
  after: unknown,
  rules: ComparisonRules,
): readonly string[] {
  if (Array.isArray(before) && (after === undefined || Array.isArray(after)))
    return describeEntries(field, before, after ?? [], rules);
  if (Array.isArray(after) && before === undefined) return describeEntries(field, [], after, rules);
  if (isRow(before) && isRow(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      describeField(`${field}.${name}`, before[name], after[name], rules),
    );
  // A read returns the digits of a masked number as text.
  const isSameNumber = typeof after === 'number' && before === String(after);
  if (isSame(before, after) || isSameNumber) return [];
  const format = (value: unknown) => formatFieldValue(field, value, rules);
  return [`~ ${field}: ${format(before)} -> ${format(after)}`];
}

/** The value of a field for a person: an id with its name. */
export function formatFieldValue(field: string, value: unknown, { schema, nameOf }: ComparisonRules): string {
  const declared = field
    .split('.')
    .reduce<JsonSchema | undefined>((parent, name) => parent?.properties?.[name], schema);
  return formatNamed(value, declared, nameOf);
}

function formatNamed(value: unknown, schema: JsonSchema | undefined, nameOf: NameOf = () => undefined): string {
  const entity = entityIn(schema);
  return entity !== undefined && typeof value === 'string'
    ? formatNamedId(value, nameOf(entity, value))
    : formatValue(value);
}

function describeEntries(
  field: string,
  before: readonly unknown[],
  after: readonly unknown[],
  rules: ComparisonRules,
): readonly string[] {
  return [
    ...removedEntries(field, after, before, rules).map((entry) => `+ ${entry}`),
    ...removedEntries(field, before, after, rules).map((entry) => `- ${entry}`),
  ];
}

/** The entries of the first list that the second lacks: `role DEPLOY`. */
export function removedEntries(
  field: string,
  before: unknown,
  after: unknown,
  rules: ComparisonRules,
): readonly string[] {
  const kept = new Set(toList(after).map((entry) => keyOfEntry(field, entry, rules)));
  const entries = new Map(toList(before).map((entry) => [keyOfEntry(field, entry, rules), entry]));
  return [...entries]
    .filter(([key]) => !kept.has(key))
    .map(([, entry]) => formatEntry(field, normalizeEntry(field, entry, rules), rules));
}

export function keyOfEntry(field: string, entry: unknown, rules: ComparisonRules): string {
  return canonicalJson(normalizeEntry(field, entry, rules));
}

export function normalizeEntry(field: string, entry: unknown, rules: ComparisonRules): unknown {
  return rules.normalizeEntry ? rules.normalizeEntry(field, entry) : entry;
}

/** Whether two values are the same. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isRow(value: unknown): value is EntityFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '(none)';
  return typeof value === 'string' ? value : (formatMobile(value) ?? JSON.stringify(value));
}

/** `role DEPLOY` */
export function formatEntry(field: string, entry: unknown, rules: ComparisonRules): string {
  return `${toSingular(field)} ${formatEntryValue(field, entry, rules)}`;
}

/** An entry of a list. One with a single field, such as `{groupName}`, is its value. */
export function formatEntryValue(field: string, entry: unknown, { schema, nameOf }: ComparisonRules): string {
  const { items } = schema.properties?.[field] ?? {};
  const [[name = '', value] = [], ...others] = isRow(entry) ? Object.entries(entry) : [];
  const isSingle = name !== '' && others.length === 0;
  return isSingle ? formatNamed(value, items?.properties?.[name], nameOf) : formatNamed(entry, items, nameOf);
}
