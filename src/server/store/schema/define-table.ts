/** The declaration of a table. */
import type * as z from 'zod';

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
