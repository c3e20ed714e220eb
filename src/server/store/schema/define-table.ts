/** The declaration of a table, and the field types that several tables use. */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';

/** The values of a row in an index: none, one or several. */
type IndexValue = string | readonly string[] | undefined;
type IndexFunctions<R> = Readonly<Record<string, (row: R) => IndexValue>>;

export interface TableDefinition<R, U extends IndexFunctions<R>, I extends IndexFunctions<R>> {
  readonly schema: z.ZodType<R>;
  readonly key: (row: R) => string;
  readonly unique: U;
  readonly index: I;
}

/** Declares a table: its row schema, primary key, and unique and plain indexes. */
export function defineTable<R, U extends IndexFunctions<R>, I extends IndexFunctions<R>>(
  schema: z.ZodType<R>,
  key: (row: R) => string,
  indexes: { unique: U; index: I },
): TableDefinition<R, U, I> {
  return { schema, key, ...indexes };
}

export const text = z.string();
/** A credential, its hash or id, or a text that can contain one. */
export const secret = sensitive(text, 'secret');
export const names = z.array(z.string()).readonly();
export const instant = z.string().describe('ISO 8601, UTC');
export const epoch = z.number().describe('Epoch seconds');

export const Phone = z
  .strictObject({ regionCode: z.number(), areaCode: z.number(), phoneNumber: z.number() })
  .readonly();
