/**
 * Every statement of the store reads about as many rows as it returns, however many the tables have. Each has one plan for
 * all values: the planner sees neither that a value is rare nor that a page is small.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemRandom } from '../../../src/server/lib/random.ts';
import { selectAllTables } from '../../../src/server/store/postgres/all-rows.ts';
import { inquire } from '../../../src/server/store/postgres/commit.ts';
import { KnownRows } from '../../../src/server/store/postgres/known-rows.ts';
import { createEventJournal } from '../../../src/server/store/postgres/login-events.ts';
import { Prefetcher } from '../../../src/server/store/postgres/prefetch.ts';
import { createTableAccess } from '../../../src/server/store/postgres/row-access.ts';
import { createFindReaching, createStatements, type Statement } from '../../../src/server/store/postgres/statements.ts';
import { startSweeping } from '../../../src/server/store/postgres/sweep.ts';
import { type StoredTable, storedTables } from '../../../src/server/store/postgres/table-columns.ts';
import { effort } from '../../effort.ts';
import { databaseUrl } from '../database.ts';
import { commonValue, keyOf, LargeSchema, listStatements, middleOf, rareValues } from './plans.ts';

/** The plans of 1,000,000 rows are the same. */
const rowCount = 2_000 * effort;
/** For each row that is returned, or value that is looked up. A page of an index leads to the next. */
const limits = { rows: 4, pages: 20 } as const;
/** Rows that are counted. */
const maxCounted = 100_001;

let schema: LargeSchema;
beforeAll(async () => {
  schema = await LargeSchema.create(databaseUrl, `plans_${systemRandom.uuid().replaceAll('-', '')}`, rowCount);
});
afterAll(() => schema?.drop());

interface Case {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

const pageSize = 50;

/** Every statement for the rows of a table. */
function casesOf(table: StoredTable): Case[] {
  const statements = createStatements(table);
  const cases: Case[] = [];
  const keys = Array.from({ length: 50 }, (_, at) => keyOf(table, 2 * at + 1));
  const [key = ''] = keys;
  const middle = middleOf(table);
  const add = (statement: Statement | undefined, ...values: unknown[]) => {
    if (statement) cases.push({ statement, values });
  };
  const rowOf = (name: string) => [name, 1, '{}', ...table.columns.map(() => null)];
  const rowsOf = (names: readonly string[]) =>
    rowOf('').map((value, at) => names.map((name) => (at === 0 ? name : value)));
  const newKeys = keys.map((each) => `new ${each}`);
  add(statements.get, key);
  add(statements.getMany, keys);
  add(statements.list, middle, pageSize);
  add(statements.count);
  add(statements.insert, ...rowOf('new'));
  add(statements.insertAll, ...rowsOf(newKeys));
  add(statements.insertAll.ofOne, ...rowOf('new'));
  add(statements.replaceAll, ...rowsOf(keys));
  add(statements.replaceAll.ofOne, ...rowOf(key));
  add(statements.delete, key);
  add(statements.deleteAll, keys);
  for (const { index, ...of } of statements.indexes.values()) {
    const few = index.isUnique ? ['unique 7', 'unique 8', 'none'] : rareValues;
    for (const value of index.isUnique ? few : [...few, commonValue])
      for (const after of ['', middle]) {
        add(of.find, value, after, pageSize);
        add(of.findInOrder, [...few, value, 'none'], after, pageSize);
      }
    add(of.findMany, few);
    add(of.getBy, few[0]);
    add(of.getLinked, key);
    add(of.reach, keys);
    add(of.findTaken, few, key);
    if (index.name === 'dependency')
      for (const other of statements.indexes.values())
        if (!other.index.isUnique) add(createFindReaching(table, index, other.index), rareValues[0]);
  }
  for (const { index, ...of } of statements.valueTables) {
    add(of.insert, ['new 1', 'new 2'], key);
    add(of.insertAll, newKeys, keys);
    add(of.delete, [index.isUnique ? 'unique 1' : rareValues[0]], key);
  }
  const names = new Set(cases.map(({ statement }) => statement.name));
  // A count of each value reads the whole index: of the costs of passwords, in the background, at most once a minute.
  for (const { countBy } of statements.indexes.values()) names.add(countBy.name);
  expect(listStatements(statements).filter(({ name }) => !names.has(name))).toEqual([]);
  return cases;
}

/** The other statements, which their modules send to this recorder. */
async function otherCases(): Promise<Case[]> {
  const cases: Case[] = [{ statement: inquire, values: ['00000000-0000-0000-0000-000000000000', null] }];
  const run = async (statement: Statement, values: readonly unknown[] = []) => {
    cases.push({ statement, values });
    return { rows: [{ at: String(Date.now() / 1_000) }], rowCount: 0 } as never;
  };
  const runEmpty = async (...parameters: Parameters<typeof run>) => {
    await run(...parameters);
    return { rows: [], rowCount: 0 } as never;
  };
  const prefetcher = new Prefetcher(createTableAccess(new KnownRows(1)), runEmpty);
  const key = 'absent';
  const prefetch = { keys: { clients: key, sessions: key, users: key }, members: [...rareValues] };
  // The second statement is for the groups that the first one found.
  await prefetcher.read(prefetch);
  await prefetcher.read(prefetch);
  await selectAllTables({ query: (query: Statement & Pick<Case, 'values'>) => runEmpty(query, query.values) } as never);
  startSweeping({ query: runEmpty } as never, { after: () => () => {} });
  await createEventJournal({ connections: { query: runEmpty } as never, random: systemRandom, replica: '' }).readNew();
  return cases;
}

test('every statement reads about as many rows as it returns', async () => {
  const problems: string[] = [];
  const cases = [...storedTables().flatMap(casesOf), ...(await otherCases())];
  for (const { statement, values } of cases) {
    const { plan, ...reads } = await schema.measure(statement, values);
    const asked = values.reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 1), 1);
    const most = Math.max(asked, reads.results);
    const isCount = statement.name.endsWith('.count');
    const isBelow = reads.rows <= (isCount ? maxCounted + 1 : limits.rows * most);
    if (isBelow && (isCount || reads.pages <= limits.pages * most)) continue;
    problems.push(`${statement.name} ${JSON.stringify(values).slice(0, 80)}: ${JSON.stringify(reads)} ${plan}`);
  }
  expect(problems).toEqual([]);
});
