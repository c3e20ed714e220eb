/** The entries of lists that options name: in the form that the list has, and existing. */

import { entityOf, type Reference } from '../../../contract/entities.ts';
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import type { Context } from '../../context.ts';
import { categoryOf } from '../../errors.ts';
import { assertReferencesExist } from '../../request/assert-exists.ts';
import { callOperation } from '../../request/call-operation.ts';
import { type EntityFields, isRow, keyOfEntry, toList } from '../../request/differences.ts';
import { getOperation } from '../../request/find-operation.ts';
import type { ResourceEdit } from './merge.ts';
import type { UpdateTarget } from './write.ts';

type Entries = ResourceEdit['remove'];

/** A list that has names has no id: the entries that it lacks get the name of the entity that they identify. */
export async function toListedForms(
  context: Context,
  target: UpdateTarget,
  entity: EntityFields,
  edit: ResourceEdit,
): Promise<ResourceEdit> {
  const convert = async (lists: Entries): Promise<Entries> => {
    const lacking = findUnlisted(target, entity, lists);
    const converted = Object.entries(lists).map(async ([field, entries]) => {
      const listed = entries.map((entry) =>
        lacking[field]?.includes(entry) ? toNamedEntry(context, target, field, entry) : entry,
      );
      return [field, await Promise.all(listed)] as const;
    });
    return Object.fromEntries(await Promise.all(converted));
  };
  return { ...edit, add: await convert(edit.add), remove: await convert(edit.remove) };
}

/** @throws ClientError if an entry that is to be removed is not in its list, and does not exist at all */
export async function assertRemovedExist(
  context: Context,
  target: UpdateTarget,
  entity: EntityFields,
  { remove }: ResourceEdit,
): Promise<void> {
  const request = { params: [], query: [], ...(target.operation.body ? { body: target.operation.body } : {}) };
  await assertReferencesExist(context, request, { body: findUnlisted(target, entity, remove) });
}

function findUnlisted({ rules }: UpdateTarget, entity: EntityFields, lists: Entries): Entries {
  return Object.fromEntries(
    Object.entries(lists).map(([field, entries]) => {
      const listed = new Set(toList(entity[field]).map((entry) => keyOfEntry(field, entry, rules)));
      return [field, entries.filter((entry) => !listed.has(keyOfEntry(field, entry, rules)))];
    }),
  );
}

async function toNamedEntry(
  context: Context,
  { rules }: UpdateTarget,
  field: string,
  entry: unknown,
): Promise<unknown> {
  if (!isRow(entry)) return entry;
  const [[property, value] = []] = Object.entries(entry);
  const reference = property === undefined ? undefined : referenceOf(rules.schema, field, property);
  const name = reference && (await findName(context, reference, String(value)));
  return name === undefined ? entry : { ...entry, [property ?? '']: name };
}

function referenceOf({ properties }: JsonSchema, field: string, property: string): Reference | undefined {
  return properties?.[field]?.items?.properties?.[property]?.['x-reference'];
}

/** The name of the entity with this id or name, if the reference is by name. */
async function findName(context: Context, { entity, by }: Reference, value: string): Promise<unknown> {
  const { get, properties } = entityOf(entity);
  if (by[0] !== 'name' || get === undefined) return undefined;
  const [param] = getOperation(context.manifest, get).params;
  try {
    const { body } = await callOperation(context, get, { params: { [param?.name ?? '']: value } });
    return (body as EntityFields)[properties.name ?? ''];
  } catch (error) {
    // The update itself reports what is wrong with a new entry.
    if (categoryOf(context.manifest, error) === 'not-found') return undefined;
    throw error;
  }
}
