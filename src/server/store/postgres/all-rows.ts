/** Reads all rows of the store, in pages: one statement for a large table would exceed its time limit. */
import type { PoolClient } from 'pg';
import { createPause } from '../../lib/event-loop-turns.ts';
import type { StoredRow, TableShape } from '../table-shape.ts';
import type { TableName } from '../tables.ts';
import { type StoredTable, storedTables } from './table-columns.ts';

/** Rows by table. */
export type TableRows = ReadonlyMap<string, Iterable<StoredRow>>;

const rowsPerPage = 1_000;
const textParser = { getTypeParser: () => (value: string) => value };

/** Reads within the transaction of the connection, whose snapshot makes the rows consistent. */
export async function selectAllTables(client: PoolClient): Promise<Map<TableName, Iterable<StoredRow>>> {
  const tables = new Map<TableName, Iterable<StoredRow>>();
  for (const table of storedTables()) tables.set(table.shape.name, await readTable(client, table));
  return tables;
}

/** A row that another program has written. */
export class MalformedRowError extends Error {
  override readonly name = 'MalformedRowError';
}

function parseRow({ name, schema }: TableShape, key: string, body: string): StoredRow {
  try {
    return schema.parse(JSON.parse(body));
  } catch (cause) {
    throw new MalformedRowError(`The row ${key} of the table ${name} is malformed.`, { cause });
  }
}

/**
 * Rows as text outside of the heap: with hundreds of thousands of objects, a collection of garbage would stop the requests
 * beside a backup.
 */
class PackedRows implements Iterable<StoredRow> {
  readonly #pages: Buffer[] = [];

  add(rows: readonly string[]): void {
    if (rows.length > 0) this.#pages.push(Buffer.from(rows.join('\n')));
  }

  *[Symbol.iterator](): Iterator<StoredRow> {
    for (const page of this.#pages) for (const row of page.toString().split('\n')) yield JSON.parse(row) as StoredRow;
  }
}

async function readTable(client: PoolClient, { sqlName, shape }: StoredTable): Promise<PackedRows> {
  const packed = new PackedRows();
  const pause = createPause();
  for (let after = ''; ; ) {
    const { rows: page } = await client.query<{ key: string; body: string }>({
      name: `read-all.${sqlName}`,
      text: `select key, body from "${sqlName}" where key > $1 order by key limit ${rowsPerPage}`,
      values: [after],
      types: textParser,
    });
    const rows: string[] = [];
    for (const { key, body } of page) {
      const pausing = pause();
      if (pausing) await pausing;
      rows.push(JSON.stringify(parseRow(shape, key, body)));
    }
    packed.add(rows);
    if (page.length < rowsPerPage) return packed;
    after = page.at(-1)?.key ?? '';
  }
}
