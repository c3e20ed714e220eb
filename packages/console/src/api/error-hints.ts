/** What to do about each error of the server. The build evaluates this module: the console loads the hints alone, not the whole table. */
import { errorTable } from '../../../../src/contract/error-codes.ts';

export const errorHints: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(errorTable).map(([code, { hint }]) => [code, hint]),
);
