/** Marks fields whose values never appear in a log, trace, preview or error message. */
import type * as z from 'zod';

/**
 * - `secret`: a long-lived or directly usable credential. Commands read it from a file and never as an option.
 * - `one-time`: a credential for one use, or the id of a transaction with one. Commands accept it as an option.
 */
export type Sensitivity = 'secret' | 'one-time';

/** Returns the schema with its level in `.meta()`, the keyword `sensitive` in JSON Schema. */
export function sensitive<Schema extends z.ZodType>(schema: Schema, level: Sensitivity): Schema {
  return schema.meta({ sensitive: level });
}
