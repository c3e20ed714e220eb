/** Marks the fields whose values no log, trace, preview or error message shows. */
import type * as z from 'zod';

/**
 * - `secret`: a long-lived or directly usable credential. Commands read it from a file and never as an option.
 * - `one-time`: proves something once, or names a transaction that does. Commands take it as an option.
 */
export type Sensitivity = 'secret' | 'one-time';

/** The schema with its level in `.meta()`, which JSON schemas carry as the keyword `sensitive`. */
export function sensitive<Schema extends z.ZodType>(schema: Schema, level: Sensitivity): Schema {
  return schema.meta({ sensitive: level });
}
