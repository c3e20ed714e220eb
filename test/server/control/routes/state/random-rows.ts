/** Random rows generated from the table schemas: every field, and strings of every kind. */
import type * as z from 'zod';
import { type StoredRow, tableNames } from '../../../../../src/server/store/table-shape.ts';
import { type TableName, tables } from '../../../../../src/server/store/tables.ts';

const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$H4BSd2NfwKAFc7Dru9IOhA$fweESI9ZRk3mGue8dRdC4ENt2hfHcaQGmK5HnflHGBQ';

export type Random = () => number;

/** PostgreSQL cannot contain these two, and requests with them are rejected. */
const embeddedOnly = process.env.IAM_TEST_STORE === 'postgres' ? [] : ['\u0001', '\ud800'];
const pieces = [...embeddedOnly, 'a', 'Ä', '"', '\\', '\n', '\u2028', '漢', '\u{1f600}', ' ', '/', '{', ''].map(
  (piece) => `x${piece}`,
);

let strings = 0;

/** A row of a table. No two rows share a string, so unique values never collide. */
export function createRandomRow(name: TableName, random: Random, complete: boolean): StoredRow {
  return createValue(tables[name].schema as z.ZodType, random, complete) as StoredRow;
}

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly format?: string;
}

function createValue(schema: z.ZodType, random: Random, complete: boolean): unknown {
  const def = schema.def as unknown as Def;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const inner = (of: z.ZodType | undefined) => createValue(of as z.ZodType, random, complete);
  if (def.type === 'string') {
    strings += 1;
    return `${pick(pieces)}${strings}${pick(pieces)}`;
  }
  if (def.type === 'number') return Math.floor(random() * 1e9);
  if (def.type === 'boolean') return random() < 0.5;
  if (def.type === 'enum') return pick(Object.values(def.entries ?? {}));
  if (def.type === 'literal') return pick(def.values ?? []);
  if (def.type === 'optional') return complete || random() < 0.5 ? inner(def.innerType) : undefined;
  if (def.type === 'readonly') return inner(def.innerType);
  if (def.type === 'array') return Array.from({ length: 1 + Math.floor(random() * 3) }, () => inner(def.element));
  if (def.type === 'union') return inner(pick(def.options ?? []));
  if (def.type === 'record') return { kty: 'none' };
  if (def.type === 'object') {
    const entries = Object.entries(def.shape ?? {}).map(
      ([field, of]) => [field, createField(field, inner(of))] as const,
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  throw new Error(`no value for ${def.type}`);
}

/** A password hash must be one. */
function createField(field: string, value: unknown): unknown {
  return field === 'passwordHash' && value !== undefined ? passwordHash : value;
}

/** Tables whose rows have to contain working keys. */
const keyTables = new Set<string>(['signingKeys', 'storeSecrets']);

export const tablesWithoutKeys = tableNames.filter((name) => !keyTables.has(name));
