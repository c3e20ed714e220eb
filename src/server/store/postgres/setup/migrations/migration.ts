/** One step from a version of the schema to the next. */
export interface Migration {
  /** A number, which orders it, and a name. */
  readonly name: string;
  readonly statements: readonly string[];
}
