/**
 * One step from a version of the schema to the next. A statement that changes the body of rows must give them new
 * versions, too: running servers keep rows by key and version.
 */
export interface Migration {
  /** A number, which orders it, and a name. */
  readonly name: string;
  readonly statements: readonly string[];
}
