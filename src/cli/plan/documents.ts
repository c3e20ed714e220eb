/** From the texts of documents to one checked value, and where each part of it stands. Pure. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { checkText } from './check-text.ts';
import { type Fault, type Place, type Places, placeOf } from './faults.ts';
import { documentSchema, type KindName, kindNames } from './schema.ts';
import type { Yaml } from './tools.ts';

export interface SourceText {
  /** As errors name it. */
  readonly name: string;
  readonly text: string;
}

type Entry = Readonly<Record<string, unknown>>;

export interface Documents {
  readonly set?: string | undefined;
  readonly entries: Readonly<Record<KindName, readonly Entry[]>>;
  readonly places: Places;
  readonly faults: readonly Fault[];
}

interface Reading {
  readonly yaml: Yaml;
  readonly faults: Fault[];
  readonly places: Map<string, Place>;
  readonly entries: Record<KindName, Entry[]>;
  readonly sets: { readonly name: string; readonly place: Place }[];
}

/** Where nodes of one document stand, and how an alias is followed. */
interface Cursor {
  place(node: unknown): Place;
  followed(node: unknown): unknown;
}

/** Reads all documents, and tells all that is wrong with them by themselves. */
export function readDocuments(yaml: Yaml, sources: readonly SourceText[]): Documents {
  const empty = Object.fromEntries(kindNames.map((kind) => [kind, []])) as unknown as Record<KindName, Entry[]>;
  const reading: Reading = { yaml, faults: [], places: new Map(), entries: empty, sets: [] };
  for (const source of sources) readText(reading, source);
  const [first, ...others] = reading.sets;
  const { faults, places, entries } = reading;
  for (const { name, place } of others)
    if (name !== first?.name) faults.push({ place, message: `set is ${name} here and ${first?.name} elsewhere` });
  return { set: first?.name, entries, places, faults };
}

function readText(reading: Reading, { name, text }: SourceText): void {
  const { yaml, faults } = reading;
  const lines = new yaml.LineCounter();
  const clean = text.replace(/^\uFEFF/, '');
  const documents = yaml.parseAllDocuments(clean, { lineCounter: lines, merge: false, stringKeys: true });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file: name, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (!Array.isArray(documents) || documents.every(({ contents }) => contents === null))
    faults.push({ place: placeAt(0), message: 'holds nothing' });
  for (const document of Array.isArray(documents) ? documents : []) {
    for (const { message, pos } of document.errors)
      faults.push({
        place: placeAt(pos[0]),
        message: (message.split(/ at line \d|\n/)[0] ?? message).replace(/:$/, ''),
      });
    const cursor: Cursor = {
      place: (node) => placeAt((node as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0),
      followed: (node) => (yaml.isAlias(node) ? (node.resolve(document) ?? node) : node),
    };
    if (document.errors.length === 0 && document.contents !== null) readTop(reading, cursor, document.contents);
  }
}

/** The keys of a document: entries are counted on over all documents. */
function readTop(reading: Reading, cursor: Cursor, top: unknown): void {
  const value = readNode(reading, cursor, top, documentSchema, '') as Record<string, unknown> | undefined;
  if (typeof value?.set === 'string') {
    const place = placeOf(reading.places, 'set');
    if (place) reading.sets.push({ name: value.set, place });
  }
  for (const kind of kindNames) {
    const given = value?.[kind];
    if (Array.isArray(given)) reading.entries[kind].push(...(given as Entry[]));
  }
}

/** The value of a node that its schema fits. What does not fit is a fault, and left out. */
function readNode(reading: Reading, cursor: Cursor, given: unknown, schema: JsonSchema, path: string): unknown {
  const node = cursor.followed(given);
  const place = cursor.place(given);
  if (path !== '') reading.places.set(path, place);
  const wrong = (message: string) => void reading.faults.push({ place, message: `${labelOf(path)}${message}` });
  if (schema.type === 'object') return readMap(reading, cursor, node, schema, path, wrong);
  if (schema.type === 'array') return readList(reading, cursor, node, schema, path, wrong);
  const value = reading.yaml.isScalar(node) ? node.value : undefined;
  if (value === null && Array.isArray(schema.type)) return null;
  const message = typeof value === 'string' ? checkText(value, schema) : notText(value);
  return message === undefined ? value : wrong(message);
}

function notText(value: unknown): string {
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
  return isPlain ? `must be text: put ${String(value)} in quotes` : 'must be text';
}

type Wrong = (message: string) => void;

function readMap(
  reading: Reading,
  cursor: Cursor,
  node: unknown,
  schema: JsonSchema,
  path: string,
  wrong: Wrong,
): Entry | undefined {
  if (!reading.yaml.isMap(node)) return void wrong(`must be an object${exampleOf(schema)}`);
  const found: Record<string, unknown> = {};
  const below = path === '' ? '' : `${path}/`;
  for (const { key, value } of node.items) {
    const name = String((key as { value?: unknown } | null)?.value ?? key);
    const part = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (part === undefined) {
      const known = Object.keys(schema.properties ?? {}).join(', ');
      reading.faults.push({
        place: cursor.place(key),
        message: `${labelOf(path)}has no ${name}; it can have ${known}`,
      });
    } else found[name] = readNode(reading, cursor, value ?? key, part, below + name);
  }
  const missing = (schema.required ?? []).filter((name) => !node.items.some(({ key }) => keyOf(key) === name));
  for (const name of missing) wrong(`needs ${name}`);
  return found;
}

/** `, such as {groupName: ..}`: with what it can't do without. */
function exampleOf({ required = [] }: JsonSchema): string {
  return required.length === 0 ? ' of fields' : `, such as {${required.map((name) => `${name}: ..`).join(', ')}}`;
}

function keyOf(key: unknown): unknown {
  return (key as { value?: unknown } | null)?.value;
}

function readList(
  reading: Reading,
  cursor: Cursor,
  node: unknown,
  schema: JsonSchema,
  path: string,
  wrong: Wrong,
): unknown[] | undefined {
  if (!reading.yaml.isSeq(node)) return void wrong('must be a list');
  const { items = {}, maxItems } = schema;
  if (typeof maxItems === 'number' && node.items.length > maxItems)
    wrong(`must not have more than ${maxItems} entries`);
  const isTop = !path.includes('/');
  const offset = isTop ? reading.entries[path as KindName].length : 0;
  const values = node.items.map((item, at) => readNode(reading, cursor, item, items, `${path}/${at + offset}`));
  if (schema.uniqueItems === true) reportTwins(reading, values, path);
  if (isTop) return values.map((value) => value ?? {});
  // Without what is wrong the others would stand elsewhere.
  return values.includes(undefined) ? undefined : values;
}

function reportTwins({ faults, places }: Reading, values: readonly unknown[], path: string): void {
  const seen = new Set<string>();
  for (const [at, value] of values.entries()) {
    const text = JSON.stringify(value);
    if (text !== undefined && seen.has(text))
      faults.push({ place: placeOf(places, `${path}/${at}`), message: `${labelOf(path)}names ${text} twice` });
    seen.add(text);
  }
}

/** What of a document a fault is about, in words: `groups: `, `roles: `. */
function labelOf(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && !/^\d+$/.test(word));
  return words.length === 0 ? '' : `${words.at(-1)}: `;
}
