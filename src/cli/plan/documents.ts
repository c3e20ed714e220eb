/** Reads, parses and validates documents to one value with source positions. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import { parseUrl } from '../../contract/email/parse-url.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import { isMeantAsJson, JsonError, parseJson } from '../../lib/json-text.ts';
import { parseYamlText } from '../../lib/yaml-text.ts';
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
  readonly positions: SourcePositions;
  readonly diagnostics: readonly Diagnostic[];
}

interface ParseContext {
  readonly diagnostics: Diagnostic[];
  readonly positions: Map<string, SourcePosition>;
  readonly entries: Record<ListName, DocumentEntry[]>;
  readonly sets: { readonly name: string; readonly position: SourcePosition }[];
  /** Compiled patterns of schemas: thousands of values share them. */
  readonly patterns: Map<string, RegExp>;
}

/** Positions of the nodes of one document, and alias resolution. */
interface NodeContext {
  position(node: unknown): SourcePosition;
  resolve(node: unknown): unknown;
}

/** Parses all documents and collects their diagnostics. */
export function parseDocuments(sources: readonly SourceText[]): Documents {
  const empty = Object.fromEntries(documentResources.map(({ list }) => [list, []])) as unknown as Record<
    ListName,
    DocumentEntry[]
  >;
  const context: ParseContext = {
    diagnostics: [],
    positions: new Map(),
    entries: empty,
    sets: [],
    patterns: new Map(),
  };
  for (const source of sources) parseText(context, source);
  const [first, ...others] = context.sets;
  const { diagnostics, positions, entries } = context;
  for (const { name, position } of others)
    if (name !== first?.name)
      diagnostics.push({ position, message: `set is ${name} here and ${first?.name} elsewhere` });
  return { set: first?.name, entries, positions, diagnostics };
}

function parseText(context: ParseContext, { name, text }: SourceText): void {
  const { diagnostics } = context;
  const jsonError = isMeantAsJson(name, text) ? findJsonError(text) : undefined;
  if (jsonError) {
    const { line, column, problem } = jsonError;
    diagnostics.push({ position: { file: name, line, column }, message: problem.reason });
    return;
  }
  const { documents, problems, placeAt } = parseYamlText(text);
  const positionAt = (offset: number): SourcePosition => ({ file: name, ...placeAt(offset) });
  for (const { line, column, reason } of problems)
    diagnostics.push({ position: { file: name, line, column }, message: reason });
  if (problems.length > 0) return;
  if (documents.every(({ contents }) => contents === null))
    diagnostics.push({ position: positionAt(0), message: 'is empty' });
  for (const document of documents) {
    const nodes: NodeContext = {
      position: (node) => positionAt((node as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0),
      resolve: (node) => (isAlias(node) ? (node.resolve(document) ?? node) : node),
    };
    if (document.contents !== null) parseRoot(context, nodes, document.contents);
  }
}

function findJsonError(text: string): JsonError | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
}

/** Parses the root of a document; entries are numbered across all documents. */
function parseRoot(context: ParseContext, nodes: NodeContext, top: unknown): void {
  const value = parseNode(context, nodes, top, documentSchema, '') as Record<string, unknown> | undefined;
  if (typeof value?.set === 'string') {
    const position = findPosition(context.positions, 'set');
    if (position) context.sets.push({ name: value.set, position });
  }
  for (const { list } of documentResources) {
    const input = value?.[list];
    if (Array.isArray(input)) context.entries[list].push(...(input as DocumentEntry[]));
  }
}

/** Returns the value of a node that matches its schema; otherwise reports a diagnostic and omits the value. */
function parseNode(
  context: ParseContext,
  nodes: NodeContext,
  input: unknown,
  schema: JsonSchema,
  path: string,
): unknown {
  const node = nodes.resolve(input);
  const position = nodes.position(input);
  if (path !== '') context.positions.set(path, position);
  const report = (message: string) =>
    void context.diagnostics.push({ position, message: `${formatLabel(path)}${message}` });
  if (schema.type === 'object') return parseMap(context, nodes, node, schema, path, report);
  if (schema.type === 'array') return parseList(context, nodes, node, schema, path, report);
  const value = isScalar(node) ? node.value : undefined;
  if (value === null && Array.isArray(schema.type)) return null;
  if (schema.type === 'boolean') return typeof value === 'boolean' ? value : report('must be true or false');
  const message = typeof value === 'string' ? checkText(context, value, schema) : describeNonText(node);
  return message === undefined ? value : report(message);
}

function describeNonText(node: unknown): string {
  const { value, source } = isScalar(node) ? node : { value: undefined, source: undefined };
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `must be a string: put ${source ?? String(value)} in quotes` : 'must be a string';
}

type ReportProblem = (message: string) => void;

function parseMap(
  context: ParseContext,
  nodes: NodeContext,
  node: unknown,
  schema: JsonSchema,
  path: string,
  report: ReportProblem,
): DocumentEntry | undefined {
  if (!isMap(node)) return void report(`must be an object${formatExample(schema)}`);
  const entry: Record<string, unknown> = {};
  const below = path === '' ? '' : `${path}/`;
  for (const { key, value } of node.items) {
    const name = String((key as { value?: unknown } | null)?.value ?? key);
    const part = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    if (part === undefined) {
      const known = Object.keys(schema.properties ?? {}).join(', ');
      context.diagnostics.push({
        position: nodes.position(key),
        message: `${formatLabel(path)}unknown field ${name}; use ${known}`,
      });
    } else entry[name] = parseNode(context, nodes, value ?? key, part, below + name);
  }
  const missing = (schema.required ?? []).filter((name) => !node.items.some(({ key }) => readKey(key) === name));
  for (const name of missing) report(`${name} is required`);
  return entry;
}

/** `, such as {groupName: ..}` with the required fields. */
function formatExample({ required = [] }: JsonSchema): string {
  return required.length === 0 ? ' of fields' : `, such as {${required.map((name) => `${name}: ..`).join(', ')}}`;
}

function readKey(key: unknown): unknown {
  return (key as { value?: unknown } | null)?.value;
}

function parseList(
  context: ParseContext,
  nodes: NodeContext,
  node: unknown,
  schema: JsonSchema,
  path: string,
  report: ReportProblem,
): unknown[] | undefined {
  if (!isSeq(node)) return void report('must be a list');
  const { items = {}, maxItems } = schema;
  if (typeof maxItems === 'number' && node.items.length > maxItems)
    report(`must not have more than ${maxItems} entries`);
  const isTop = !path.includes('/');
  const offset = isTop ? context.entries[path as ListName].length : 0;
  const values = node.items.map((item, at) => parseNode(context, nodes, item, items, `${path}/${at + offset}`));
  if (schema.uniqueItems === true) reportDuplicates(context, values, path);
  if (isTop) return values.map((value) => value ?? {});
  // Omitting single entries would shift the positions of the others.
  return values.includes(undefined) ? undefined : values;
}

function reportDuplicates({ diagnostics, positions }: ParseContext, values: readonly unknown[], path: string): void {
  const seen = new Set<string>();
  for (const [at, value] of values.entries()) {
    const text = JSON.stringify(value);
    if (text !== undefined && seen.has(text))
      diagnostics.push({
        position: findPosition(positions, `${path}/${at}`),
        message: `${formatLabel(path)}duplicate entry ${text}`,
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

/** Positions of values by path over all documents: `groups/3/users/0`. */
export type SourcePositions = ReadonlyMap<string, SourcePosition>;

/** Returns the position of a value, or of its nearest ancestor with a position. */
export function findPosition(positions: SourcePositions, path: string): SourcePosition | undefined {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = positions.get(at);
    if (found || !at.includes('/')) return found;
  }
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
