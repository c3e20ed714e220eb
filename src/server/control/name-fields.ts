/** Names beside the ids of other entities in responses of the control plane. */
import type * as z from 'zod';
import { optionalText } from '../../contract/schemas/primitives.ts';
import { type NamedKind, readEntityNames } from '../directory/entity-names.ts';
import type { Reader } from '../store/store.ts';

interface NamedField {
  readonly kind: NamedKind;
  /** The property of the name. */
  readonly name: string;
  readonly schema: z.ZodOptional<z.ZodString>;
}

/** By the property that contains the id. */
const namedFields = {
  userId: { kind: 'user', name: 'userName', schema: optionalText('alice', 'Login name of the user') },
  businessId: { kind: 'business', name: 'businessName', schema: optionalText('Example Shop', 'Name of the business') },
  clientId: {
    kind: 'client',
    name: 'clientName',
    schema: optionalText('billing-service', 'Service account of the client, or else its application'),
  },
  ownerClientId: {
    kind: 'client',
    name: 'ownerClientName',
    schema: optionalText('portal', 'Service account of the owner, or else its application'),
  },
  corporateGroupId: {
    kind: 'corporateGroup',
    name: 'corporateGroupName',
    schema: optionalText('Example Holding', 'Name of the corporate group'),
  },
} as const satisfies Readonly<Record<string, NamedField>>;

type IdField = keyof typeof namedFields;

type NamesOf<Field extends IdField, Name = string> = {
  readonly [Key in Field as (typeof namedFields)[Key]['name']]?: Name;
};

/** The properties of the names of these ids, for the schema of an item. */
export function nameFieldsOf<Field extends IdField>(...fields: readonly Field[]) {
  return Object.fromEntries(
    fields.map((field) => [namedFields[field].name, namedFields[field].schema]),
  ) as unknown as Required<NamesOf<Field, NamedField['schema']>>;
}

/** Adds the names of these ids to the items. An id without an entity has none. */
export async function addNames<
  Item extends Partial<Readonly<Record<Field, string | undefined>>>,
  Field extends IdField,
>(store: Reader, items: readonly Item[], ...fields: readonly Field[]): Promise<(Item & NamesOf<Field>)[]> {
  const ids = items.flatMap((item) => fields.flatMap((field) => item[field] ?? []));
  const kinds = [...new Set(fields.map((field) => namedFields[field].kind))];
  const found = await readEntityNames(store, ids, kinds);
  const names = new Map(found.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
  return items.map((item) => {
    const own = fields.flatMap((field) => {
      const name = names.get(`${namedFields[field].kind} ${item[field]}`);
      return name === undefined ? [] : [[namedFields[field].name, name] as const];
    });
    return { ...item, ...(Object.fromEntries(own) as NamesOf<Field>) };
  });
}
