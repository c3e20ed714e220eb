/** Outside of a transaction, the statements of the tables write nothing: their BEGIN can have been cancelled. */

import { expect, test } from 'vitest';
import { createStatements, isWithin, type Statement } from '../../src/server/store/postgres/statements.ts';
import { storedTables } from '../../src/server/store/postgres/table-columns.ts';

const isWriting = ({ text }: Statement) => !/^(select|with)/.test(text);

/** All statements of all tables, also of those for values and indexes. */
function listStatements(value: unknown): Statement[] {
  if (value instanceof Map) return [...value.values()].flatMap(listStatements);
  if (typeof value !== 'object' || value === null) return [];
  if ('text' in value && 'name' in value) return [value as Statement];
  return Object.values(value).flatMap(listStatements);
}

const statements = storedTables().flatMap((table) => {
  const { indexes, valueTables, ...own } = createStatements(table);
  return listStatements(own).concat(listStatements(valueTables.map(({ index: _, ...rest }) => rest)));
});

test.each(statements.filter(isWriting))('$name', async ({ text }) => {
  expect(text).toContain(isWithin);
});
