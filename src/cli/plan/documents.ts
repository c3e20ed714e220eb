/** Reads, parses and validates documents to one value. Positions are found when a message needs them. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { parseUrl } from '../../contract/email/parse-url.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { isMeantAsJson, JsonError, parseJson } from '../../lib/json-text.ts';
import { parseYamlText, type YamlText } from '../../lib/yaml-text.ts';
import type { CommandOptions } from '../context.ts';
import { usageError } from '../errors.ts';
import { readText } from '../io/input.ts';
import type { Io } from '../io/io.ts';
import type { DocumentEntry, ListName } from './model/desired-entries.ts';
import { documentResources } from './resources/index.ts';
import { documentSchema } from './schema.ts';

export interface SourceText {
  /** Name in diagnostics. */
  readonly name: string;
  readonly text: string;
}

export interface Documents {
  readonly set?: string | undefined;
  readonly entries: Readonly<Record<ListName, readonly DocumentEntry[]>>;
  readonly findPosition: FindPosition;
  readonly diagnostics: readonly Diagnostic[];
}

interface ParseContext {
  readonly diagnostics: Diagnostic[];
  readonly documents: SourceDocument[];
  readonly entries: Record<ListName, DocumentEntry[]>;
  readonly sets: { readonly name: string; readonly document: SourceDocument }[];
  /** Compiled patterns of schemas: thousands of values share them. */
  readonly patterns: Map<string, RegExp>;
}

/** One document of a source. */
interface SourceDocument {
  readonly value: unknown;
  /** The number of its first entry in each list: entries are numbered across all documents. */
  readonly firstEntries: Readonly<Record<ListName, number>>;
  readonly file: string;
  /** The nodes of its text. */
  parse(): { readonly document: Document | undefined } & Pick<YamlText, 'placeAt'>;
}

/** Parses all documents and collects their diagnostics. */
export function parseDocuments(sources: readonly SourceText[]): Documents {
  const context: ParseContext = {
    diagnostics: [],
    documents: [],
    entries: mapLists(() => []),
    sets: [],
    patterns: new Map(),
  };
  for (const source of sources) parseText(context, source);
  const { diagnostics, documents, entries, sets } = context;
  const [first, ...others] = sets;
  for (const { name, document } of others)
    if (name !== first?.name)
      diagnostics.push({
        position: locate(document, 'set'),
        message: `set is ${name} here and ${first?.name} elsewhere`,
      });
  return { set: first?.name, entries, findPosition: (at) => findInDocuments(documents, at), diagnostics };
}

function mapLists<Value>(create: (list: ListName) => Value): Record<ListName, Value> {
  return Object.fromEntries(documentResources.map(({ list }) => [list, create(list)])) as Record<ListName, Value>;
}

function parseText(context: ParseContext, source: SourceText): void {
  const { name: file, text } = source;
  // Parsing YAML, which finds positions, takes longer than all other work on a document.
  if (isMeantAsJson(file, text)) parseJsonText(context, source);
  else parseNodes(context, source);
}

function parseNodes(context: ParseContext, { name: file, text }: SourceText): void {
  const { documents, problems, placeAt } = parseYamlText(text);
  for (const { line, column, reason } of problems)
    context.diagnostics.push({ position: { file, line, column }, message: reason });
  if (problems.length > 0) return;
  if (documents.every(({ contents }) => contents === null))
    context.diagnostics.push({ position: { file, ...placeAt(0) }, message: 'is empty' });
  for (const document of documents) {
    if (document.contents === null) continue;
    // An alias becomes the object that its anchor became, and schemas bound how deep it is followed.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    parseRoot(context, { value, file, parse: () => ({ document, placeAt }) });
  }
}

function parseJsonText(context: ParseContext, { name: file, text }: SourceText): void {
  try {
    const value = parseJson(text);
    let parsed: YamlText | undefined;
    const parse = () => {
      parsed ??= parseYamlText(text);
      return { document: parsed.documents[0], placeAt: parsed.placeAt };
    };
    parseRoot(context, { value, file, parse });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, problem } = error;
    context.diagnostics.push({ position: { file, line, column }, message: problem.reason });
  }
}

/** Parses the root of a document. */
function parseRoot(context: ParseContext, found: Omit<SourceDocument, 'firstEntries'>): void {
  const { documents, entries, sets } = context;
  const document = { ...found, firstEntries: mapLists((list) => entries[list].length) };
  documents.push(document);
  const value = parseValue(context, document, found.value, documentSchema, '') as Record<string, unknown> | undefined;
  if (typeof value?.set === 'string') sets.push({ name: value.set, document });
  for (const { list } of documentResources) {
    const input = value?.[list];
    if (Array.isArray(input)) for (const entry of input as DocumentEntry[]) entries[list].push(entry);
  }
}

/** Returns the value if it matches its schema; otherwise reports a diagnostic and omits it. */
function parseValue(
  context: ParseContext,
  document: SourceDocument,
  value: unknown,
  schema: JsonSchema,
  at: string,
): unknown {
  const report = (message: string) =>
    void context.diagnostics.push({ position: locate(document, at), message: `${formatLabel(at)}${message}` });
  if (schema.type === 'object') return parseMap(context, document, value, schema, at, report);
  if (schema.type === 'array') return parseList(context, document, value, schema, at, report);
  if (value === null && Array.isArray(schema.type)) return null;
  if (schema.type === 'boolean') return typeof value === 'boolean' ? value : report('must be true or false');
  const message = typeof value === 'string' ? checkText(context, value, schema) : describeNonText(document, value, at);
  return message === undefined ? value : report(message);
}

function describeNonText(document: SourceDocument, value: unknown, at: string): string {
  if (typeof value !== 'number' && typeof value !== 'boolean') return 'must be a string';
  const { node } = findNode(document, at);
  return `must be a string: put ${(isScalar(node) && node.source) || value} in quotes`;
}

type ReportProblem = (message: string) => void;

function parseMap(
  context: ParseContext,
  document: SourceDocument,
  value: unknown,
  schema: JsonSchema,
  at: string,
  report: ReportProblem,
): DocumentEntry | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return void report(`must be an object${formatExample(schema)}`);
  const entry: Record<string, unknown> = {};
  const below = at === '' ? '' : `${at}/`;
  for (const [name, field] of Object.entries(value)) {
    const part = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (part === undefined) {
      const known = Object.keys(schema.properties ?? {}).join(', ');
      context.diagnostics.push({
        position: locate(document, at, name),
        message: `${formatLabel(at)}unknown field ${name}; use ${known}`,
      });
    } else entry[name] = parseValue(context, document, field, part, below + name);
  }
  for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) report(`${name} is required`);
  return entry;
}

/** `, such as {groupName: ..}` with the required fields. */
function formatExample({ required = [] }: JsonSchema): string {
  return required.length === 0 ? ' of fields' : `, such as {${required.map((name) => `${name}: ..`).join(', ')}}`;
}

function parseList(
  context: ParseContext,
  document: SourceDocument,
  value: unknown,
  schema: JsonSchema,
  at: string,
  report: ReportProblem,
): unknown[] | undefined {
  if (!Array.isArray(value)) return void report('must be a list');
  const { items = {}, maxItems } = schema;
  if (typeof maxItems === 'number' && value.length > maxItems) report(`must not have more than ${maxItems} entries`);
  const isTop = !at.includes('/');
  const offset = isTop ? document.firstEntries[at as ListName] : 0;
  const values = value.map((item, number) => parseValue(context, document, item, items, `${at}/${number + offset}`));
  if (schema.uniqueItems === true) reportDuplicates(context, document, values, at);
  if (isTop) return values.map((item) => item ?? {});
  // Omitting single entries would shift the positions of the others.
  return values.includes(undefined) ? undefined : values;
}

function reportDuplicates(
  { diagnostics }: ParseContext,
  document: SourceDocument,
  values: readonly unknown[],
  at: string,
): void {
  const seen = new Set<string>();
  for (const [number, value] of values.entries()) {
    const text = JSON.stringify(value);
    if (text !== undefined && seen.has(text))
      diagnostics.push({
        position: locate(document, `${at}/${number}`),
        message: `${formatLabel(at)}duplicate entry ${text}`,
      });
    seen.add(text);
  }
}

/** Prefix of a message: `groups: `, `roles: `. */
function formatLabel(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && !/^\d+$/.test(word));
  return words.length === 0 ? '' : `${words.at(-1)}: `;
}

/** A position in a document, counted from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Diagnostic {
  readonly message: string;
  /** Absent for documents from a saved plan. */
  readonly position?: SourcePosition | undefined;
}

/** Returns the position of a value by its path over all documents, `groups/3/users/0`, or of what contains it. */
export type FindPosition = (path: string) => SourcePosition | undefined;

function findInDocuments(documents: readonly SourceDocument[], at: string): SourcePosition | undefined {
  const [list = '', number] = at.split('/');
  const document = documents.findLast(({ firstEntries }) => Number(number) >= firstEntries[list as ListName]);
  return document && locate(document, at);
}

/** The position of a value, or of what contains it; with a name, that of this field's name. */
function locate(document: SourceDocument, at: string, name?: string): SourcePosition {
  const { node, placeAt } = findNode(document, at);
  const key = isMap(node) ? node.items.find((item) => readKey(item.key) === name)?.key : undefined;
  return { file: document.file, ...placeAt((isNode(key) ? key : node)?.range?.[0] ?? 0) };
}

/** Finds the node of a value, or of what contains it. */
function findNode({ firstEntries, parse }: SourceDocument, at: string): { node?: Node } & Pick<YamlText, 'placeAt'> {
  const { document, placeAt } = parse();
  let node: unknown = document?.contents;
  const parts = at === '' ? [] : at.split('/');
  for (const [depth, part] of parts.entries()) {
    const parent = isAlias(node) && document ? node.resolve(document) : node;
    // Only the lists at the top have entries that are numbered across documents.
    const first = depth === 1 ? firstEntries[parts[0] as ListName] : 0;
    const pair = isMap(parent) ? parent.items.find(({ key }) => readKey(key) === part) : undefined;
    const below = isSeq(parent) ? parent.items[Number(part) - first] : (pair?.value ?? pair?.key);
    if (!isNode(below)) break;
    node = below;
  }
  return { ...(isNode(node) ? { node } : {}), placeAt };
}

function readKey(key: unknown): unknown {
  return (key as { value?: unknown } | null)?.value;
}

/** Formats diagnostics as `iam.yaml:3:5: message`, sorted by position. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[]): string[] {
  const ordered = [...diagnostics].sort((a, b) => comparePositions(a.position, b.position));
  return ordered.map(({ position, message }) =>
    position ? `${position.file}:${position.line}:${position.column}: ${message}` : message,
  );
}

function comparePositions(a: SourcePosition | undefined, b: SourcePosition | undefined): number {
  if (!a || !b) return Number(b !== undefined) - Number(a !== undefined);
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** Returns the error message, or undefined if the value is valid. */
function checkText(
  { patterns }: ParseContext,
  value: string,
  { pattern, format, minLength = 0, maxLength, description, enum: values }: JsonSchema,
): string | undefined {
  if (values && !values.includes(value)) return `must be one of ${values.join(', ')}`;
  const length = [...value].length;
  if (length < minLength) return 'must not be empty';
  if (maxLength !== undefined && length > maxLength) return `must not be longer than ${maxLength} characters`;
  if (pattern !== undefined && !compilePattern(patterns, pattern).test(value))
    return `${JSON.stringify(value)} is not allowed here (${description ?? pattern})`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value)) return 'must not contain control characters';
  if (/\p{Surrogate}/u.test(value)) return 'must be well-formed Unicode';
  if (format === 'uri' && !parseUrl(value)) return `${JSON.stringify(value)} is not a URI`;
  return undefined;
}

function compilePattern(patterns: Map<string, RegExp>, pattern: string): RegExp {
  const expression = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, expression);
  return expression;
}

/** Returns the files of -f. */
export function getDocumentFiles(options: CommandOptions): readonly string[] {
  return (options.file as readonly string[] | undefined) ?? [];
}

/** Reads all documents; a folder contributes its YAML and JSON files sorted by name. */
export async function readSources(io: Io, files: readonly string[]): Promise<SourceText[]> {
  if (files.length === 0)
    throw usageError(
      '-f is required.',
      'Name files or folders with -f, or - for standard input. `iam export` prints a document of the current state.',
    );
  if (files.filter((file) => file === '-').length > 1) throw usageError('Standard input can be read only once.');
  const named = await Promise.all(files.map(listFiles));
  const texts = named
    .flat()
    .map(async (file) => ({ name: file === '-' ? 'stdin' : file, text: await readText(file, io) }));
  return Promise.all(texts);
}

async function listFiles(file: string): Promise<string[]> {
  const isFolder = file !== '-' && ((await stat(file).catch(() => undefined))?.isDirectory() ?? false);
  if (!isFolder) return [file];
  const names = (await readdir(file)).filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
  if (names.length === 0) throw usageError(`The folder ${file} contains no YAML or JSON file.`);
  return names.map((name) => path.join(file, name));
}
