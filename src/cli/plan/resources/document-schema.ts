/** Building blocks of the schemas of entries. */
import type { JsonSchema } from '../../../contract/manifest-types.ts';
import { valueSchemas } from '../value-schemas.ts';

/** A schema with another description. */
export const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

/** The id of a resource. */
export const id = (description: string) => described(valueSchemas.id, description);

/** The id or the name of an entity that exists, or that the documents create. */
export const idOrName = (description: string): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength: 260,
  description,
});

/** A field that `null` clears. */
export const clearable = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  type: ['string', 'null'],
  description: `${description}; null clears it`,
});

/** A list without duplicates. */
export const list = (items: JsonSchema, description: string, maxItems?: number): JsonSchema => ({
  type: 'array',
  items,
  uniqueItems: true,
  ...(maxItems === undefined ? {} : { maxItems }),
  description,
});

/** An object without other fields. */
export const object = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  description: string,
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false, description });
