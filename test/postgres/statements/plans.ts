/** A schema with many rows in every table, and what a statement reads there. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { sessionOptions } from '../../../src/server/store/postgres/primary-connections.ts';
import { migrations } from '../../../src/server/store/postgres/setup/migrations/index.ts';
import type { Statement } from '../../../src/server/store/postgres/statements.ts';
import { quoteName, type StoredTable, storedTables } from '../../../src/server/store/postgres/table-columns.ts';

export interface Reads {
  /** Rows that tables and indexes returned, also those that a filter then left out. */
  readonly rows: number;
  /** Pages of tables and indexes. */
  readonly pages: number;
  /** The rows that the statement returned or wrote. */
  readonly results: number;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** Values that half of the rows share in every plain index, and that ten rows share. */
export const commonValue = 'common';
export const rareValues = ['rare 7', 'rare 8', 'rare 9'];
const chainLength = 20;

/** In SQL and here: the value of a row in the plain indexes, and its key. */
const plain = `case when number % 2 = 0 then '${commonValue}' else 'rare ' || (number / 20) end`;
const plainOf = (number: number) => (number % 2 === 0 ? commonValue : `rare ${Math.floor(number / 20)}`);
/** As random as those of most tables. */
const randomKey = 'md5(number::text)';

/** The key of a row begins with the value of the indexes that its primary key replaces. */
export function keyOf(table: StoredTable, number: number): string {
  const random = createHash('md5').update(String(number)).digest('hex');
  return hasKeyPrefix(table) ? `${plainOf(number)}/${random}` : random;
}

/** Half of the keys, or half of those with the common value, come after it. */
export function middleOf(table: StoredTable): string {
  return hasKeyPrefix(table) ? `${commonValue}/8` : '8';
}

function hasKeyPrefix({ columns }: StoredTable): boolean {
  return columns.some(({ isKeyPrefix }) => isKeyPrefix);
}

export class LargeSchema {
  readonly #client: pg.Client;
  readonly #name: string;
  readonly #rowCount: number;

  private constructor(client: pg.Client, name: string, rowCount: number) {
    this.#client = client;
    this.#name = name;
    this.#rowCount = rowCount;
  }

  /** Fills every table, and gathers the statistics that the planner uses. */
  static async create(connectionString: string, name: string, rowCount: number): Promise<LargeSchema> {
    const options = `-c search_path=${name} ${sessionOptions}`;
    const client = new pg.Client({ connectionString, options });
    await client.connect();
    const schema = new LargeSchema(client, name, rowCount);
    const statements = migrations.flatMap((migration) => migration.statements);
    await client.query(`drop schema if exists ${name} cascade; create schema ${name}; ${statements.join(';')}`);
    await schema.#fill();
    return schema;
  }

  async #fill(): Promise<void> {
    for (const table of storedTables()) await this.#fillTable(table);
    const at = "now() - number * interval '10 milliseconds'";
    await this.#client.query(`insert into commits (id, at) select gen_random_uuid(), ${at} from ${this.#numbers}`);
    await this.#client.query(
      `insert into login_events (id, at, replica, body) select gen_random_uuid(), ${at}, 'replica ' || number % 3, '{}' from ${this.#numbers}`,
    );
    await this.#client.query('vacuum analyze');
  }

  async #fillTable(table: StoredTable): Promise<void> {
    const { sqlName, columns, valueTables } = table;
    const key = hasKeyPrefix(table) ? `${plain} || '/' || ${randomKey}` : randomKey;
    const values = columns.map(({ isUnique }) => (isUnique ? "'unique ' || number" : plain));
    const body = `jsonb_build_object('text', repeat('x', 200))`;
    const selected = [key, 'number', body, ...values].join(', ');
    const names = ['key', 'version', 'body', ...columns.map((column) => column.sqlName)].map(quoteName).join(', ');
    await this.#client.query(`insert into ${quoteName(sqlName)} (${names}) select ${selected} from ${this.#numbers}`);
    for (const { sqlName: valueTable, isUnique, name } of valueTables) {
      const isChain = name === 'dependency';
      const value = isChain ? 'md5((number + 1)::text)' : isUnique ? "'unique ' || number" : plain;
      const linked = isChain ? `where number % ${chainLength} <> 0` : '';
      await this.#client.query(
        `insert into ${quoteName(valueTable)} (value, key) select ${value}, ${key} from ${this.#numbers} ${linked}`,
      );
    }
  }

  get #numbers(): string {
    return `generate_series(1, ${this.#rowCount}) as given(number)`;
  }

  /** Runs a statement with the plan for all values, and undoes it. */
  async measure({ text }: Statement, values: readonly unknown[]): Promise<Reads & { readonly plan: string }> {
    await this.#client.query('begin isolation level serializable');
    try {
      await this.#client.query(`prepare measured as ${text}`);
      const list = values.length === 0 ? '' : `(${values.map(toLiteral).join(', ')})`;
      const { rows } = await this.#client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, buffers, format json) execute measured${list}`,
      );
      const [{ Plan: plan }] = (rows[0] as (typeof rows)[number])['QUERY PLAN'];
      return {
        rows: countRows(plan),
        pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
        results: countResults(plan),
        plan: JSON.stringify(plan, undefined, 1),
      };
    } finally {
      await this.#client.query('rollback; deallocate all');
    }
  }

  async drop(): Promise<void> {
    await this.#client.query(`drop schema ${this.#name} cascade`);
    await this.#client.end();
  }
}

/** All statements in an object, also of those for values and indexes. */
export function listStatements(value: unknown): Statement[] {
  if (value instanceof Map) return [...value.values()].flatMap(listStatements);
  if (typeof value !== 'object' || value === null) return [];
  const parts = Object.values(value).flatMap(listStatements);
  return 'text' in value && 'name' in value ? [value as Statement, ...parts] : parts;
}

const scans = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Index Scan', 'Bitmap Heap Scan']);

/** Rows of scans within others count once: a bitmap of an index and the rows of its table. */
function countRows(node: PlanNode): number {
  const own =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const below = (node.Plans ?? []).reduce((sum, each) => sum + countRows(each), 0);
  return below + (scans.has(node['Node Type']) ? own * node['Actual Loops'] : 0);
}

/** A statement that writes without `returning` has no rows of its own, but one source of those that it writes. */
function countResults(plan: PlanNode): number {
  const source = plan['Node Type'] === 'ModifyTable' ? (plan.Plans?.[0] ?? plan) : plan;
  return source['Actual Rows'] * source['Actual Loops'];
}

function toLiteral(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? `{${value.map((each) => JSON.stringify(each)).join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
