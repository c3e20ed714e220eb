/** Outside of a transaction, the statements of the tables write nothing: their BEGIN can have been cancelled. */

import { expect, test } from 'vitest';
import { createStatements, isWithin, type Statement } from '../../../src/server/store/postgres/statements.ts';
import { storedTables } from '../../../src/server/store/postgres/table-columns.ts';
import { listStatements } from './plans.ts';

const isWriting = ({ text }: Statement) => !/^(select|with)/.test(text);

const statements = storedTables().flatMap((table) => {
  const { indexes, valueTables, ...own } = createStatements(table);
  return listStatements(own).concat(listStatements(valueTables.map(({ index: _, ...rest }) => rest)));
});

test.each(statements.filter(isWriting))('$name', async ({ text }) => {
  expect(text).toContain(isWithin);
});
