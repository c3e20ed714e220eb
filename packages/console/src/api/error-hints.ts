/** What to do about each error of the server, and its fields. The build evaluates this module: the console loads not the whole table. */
import { errorTable } from '../../../../src/contract/error-codes.ts';

export const errorHints: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(errorTable).map(([code, { hint }]) => [code, hint]),
);

/** The fields of the body that an error is about, by its code. */
export const errorFields: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(errorTable).flatMap(([code, entry]) => ('fields' in entry ? [[code, entry.fields]] : [])),
);
