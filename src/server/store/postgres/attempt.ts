/** One run of the work of a transaction on a connection. */
import type { PoolClient } from 'pg';
import { nextTurn } from '../../../lib/host.ts';
import type { TableName } from '../tables.ts';
import { SeenTables } from './seen-rows.ts';
import type { RowsStatement, Statement } from './statements.ts';
import type { Run } from './table-reader.ts';
import type { TransactionRunner } from './table-writer.ts';

export interface AttemptOptions {
  /** The statements that begin the transaction. */
  readonly begin: string;
  readonly isOptimistic: boolean;
  /** Returns a number that no other write uses. */
  readonly newVersion: () => string;
}

/**
 * Rows that are sent before the first of them has its result. The time limit of a statement begins when it is sent: behind
 * very many rows it would be over before the database begins with it.
 */
const maxUnsettledRows = 4_000;
/** What a statement for one row counts. */
const rowsOfStatement = 20;
/** Rows of one statement. */
const maxGathered = 1_000;

type GatheredKind = Parameters<TransactionRunner['gather']>[0];

export class Attempt implements TransactionRunner {
  readonly run: Run;
  readonly isOptimistic: boolean;
  readonly newVersion: () => string;
  readonly seen = new SeenTables<TableName>();
  hasWritten = false;
  /** The tables whose rows it changed. */
  readonly written = new Set<TableName>();
  /** Whether a value was reported to be free without a look, which may be wrong. */
  hasAssumed = false;
  /** The first error of a statement: the transaction cannot be committed any more. */
  failure: unknown;
  readonly #client: PoolClient;
  /** Of the last write that was sent; the connection runs all in order. */
  #settled: Promise<void> = Promise.resolve();
  #unsettledRows = 0;
  /** Those without a result, in the order in which they were sent. */
  readonly #unsettled: Promise<void>[] = [];
  /** Rows that are not sent yet, by their statement: all of one kind, in the order of their first rows. */
  readonly #gathered = new Map<RowsStatement, (readonly unknown[])[]>();
  #gatheredKind: GatheredKind | undefined;
  /** Of the rows that are replaced, each once in a statement. */
  readonly #replaced = new Set<string>();
  #hasEnded = false;

  constructor(client: PoolClient, { begin, isOptimistic, newVersion }: AttemptOptions) {
    this.isOptimistic = isOptimistic;
    this.#client = client;
    this.newVersion = newVersion;
    // Not awaited: the first statements are sent with it. Without a transaction they write nothing: see `isWithin`.
    client.query(begin).catch((error: unknown) => {
      this.failure ??= error;
    });
    const run = runOn(client);
    this.run = async (statement, values) => {
      this.#assertActive();
      await this.flush();
      try {
        const result = await run(statement, values);
        if (result.command !== 'SELECT' && (result.rowCount ?? 0) > 0) this.hasWritten = true;
        return result;
      } catch (error) {
        this.failure ??= error;
        throw error;
      }
    };
  }

  async send(statement: Statement, values: readonly unknown[]): Promise<void> {
    this.#assertActive();
    await this.flush();
    await this.#dispatch(statement, values);
  }

  async gather(kind: GatheredKind, statement: RowsStatement, rows: readonly (readonly unknown[])[]): Promise<void> {
    this.#assertActive();
    this.hasWritten = true;
    const keys = kind === 'replace' ? rows.map(([key]) => `${statement.name} ${String(key)}`) : [];
    if (kind !== this.#gatheredKind || keys.some((key) => this.#replaced.has(key))) await this.flush();
    this.#gatheredKind = kind;
    for (const key of keys) this.#replaced.add(key);
    const gathered = this.#gathered.get(statement) ?? [];
    this.#gathered.set(statement, gathered);
    for (const row of rows) gathered.push(row);
    if (gathered.length >= maxGathered) {
      await this.flush();
      // Without a turn of the event loop, nothing else would run until all rows of the work are gathered.
      await nextTurn();
    }
  }

  /** Sends the rows that were gathered. */
  async flush(): Promise<void> {
    if (this.#gathered.size === 0) return;
    // Rows before their values, which refer to them: a flush may have come between a row and its values.
    const statements = [...this.#gathered].sort(([one], [other]) => Number(!one.ofOne) - Number(!other.ofOne));
    this.#gathered.clear();
    this.#replaced.clear();
    for (const [statement, rows] of statements) await this.#sendRows(statement, rows);
  }

  /** Resolves once all writes have their results; `failure` is set then. */
  settle(): Promise<void> {
    return this.#settled;
  }

  noteWrite(table: TableName): void {
    this.written.add(table);
  }

  assumeFree(): void {
    this.hasAssumed = true;
  }

  end(): void {
    this.#hasEnded = true;
    this.#gathered.clear();
    this.seen.clear();
  }

  #sendRows(statement: RowsStatement, rows: readonly (readonly unknown[])[]): Promise<void> {
    const [first = []] = rows;
    if (rows.length === 1 && statement.ofOne) return this.#dispatch(statement.ofOne, first);
    return this.#dispatch(
      statement,
      first.map((_, column) => toArrayText(rows, column)),
      rows.length,
    );
  }

  async #dispatch(statement: Statement, values: readonly unknown[], rows = 1): Promise<void> {
    this.hasWritten = true;
    const weight = Math.max(rows, rowsOfStatement);
    this.#unsettledRows += weight;
    this.#settled = this.#observe(statement, values).then(() => {
      this.#unsettledRows -= weight;
      this.#unsettled.shift();
    });
    this.#unsettled.push(this.#settled);
    // Only for the first: meanwhile the database goes on with the others.
    while (this.#unsettledRows >= maxUnsettledRows) await this.#unsettled[0];
    if (this.failure) throw this.failure;
  }

  async #observe(statement: Statement, values: readonly unknown[]): Promise<void> {
    try {
      await runOn(this.#client)(statement, values);
    } catch (error) {
      this.failure ??= error;
    }
  }

  #assertActive(): void {
    if (this.#hasEnded) throw new Error('The transaction has ended. Await every access within it.');
  }
}

/** What JSON escapes in another way than arrays: JSON escapes surrogates without their pair, so all are excluded. */
const escapedByJson = /[^ -\ud7ff\ue000-\uffff]/;
const special = /["\\]/g;

/**
 * The values of a column in the syntax of arrays, which is that of JSON in other brackets for nearly all texts. The driver
 * would search every text twice.
 */
function toArrayText(rows: readonly (readonly unknown[])[], column: number): string {
  const texts = rows.map((row) => {
    const value = row[column];
    return value === null || value === undefined ? null : String(value);
  });
  if (!escapedByJson.test(texts.join(''))) return `{${JSON.stringify(texts).slice(1, -1)}}`;
  return `{${texts.map((text) => (text === null ? 'NULL' : `"${text.replace(special, '\\$&')}"`)).join(',')}}`;
}

/** Returns a function that runs statements on this connection. */
function runOn(client: PoolClient): Run {
  return ({ name, text }, values) => client.query({ name, text, values: [...values] });
}
