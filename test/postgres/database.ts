/** The database of the tests. Importing this module starts it, unless another file already has. */
import { requestResource } from '../resources/request.ts';

/** A database in which the tests may create schemas. */
export const databaseUrl = await requestResource('database');
