/** Converts a record to a request, and validates it as far as possible without the server. */
import type { CallInput, Scalar } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { findTypeProblem } from '../io/document-types.ts';
import { createField, type Field, setAtPath, toKebabCase } from '../request/field-options.ts';
import { buildRequestSpec, formatArgumentName, type RequestSpec } from '../request/request-spec.ts';
import type { NameResolver } from '../request/resolve-names.ts';
import { assertTrimmed, type CellReader, convertCell, splitCell } from './cells.ts';
import type { RowRecord } from './records.ts';

export interface BulkRow {
  readonly number: number;
  readonly line: number;
  readonly text: string;
  readonly operation: ManifestOperation;
  readonly input: CallInput;
  /** The same as in the file, where `input` has ids in place of names. */
  readonly typed?: CallInput;
}

/** A record that is not a valid request. */
export interface InvalidRow {
  readonly number: number;
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** Action for a row; `repeat` sends a row again that may have been applied, `unknown` reports a row without a response. */
export type RowAction = 'do' | 'repeat' | 'skip' | 'unknown';

/** Whether the row is sent. */
export function isSentBy(action: RowAction): boolean {
  return action === 'do' || action === 'repeat';
}

/** A row with its action. */
export interface SelectedRow {
  readonly row: BulkRow | InvalidRow;
  readonly action: RowAction;
}

/** Parses a record. */
export type RowParser = (record: RowRecord) => BulkRow | InvalidRow;

/** Content of a row: `params`, `query` and `body` of the operation. */
interface Call {
  readonly operation: ManifestOperation;
  readonly params: Readonly<Record<string, Scalar>>;
  readonly query: Readonly<Record<string, Scalar>>;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

const callParts = ['operation', 'params', 'query', 'body', 'ifMatch'];

export interface RowOperations {
  /** Returns an operation by id. @throws Error with a user-facing message */
  find(id: string): ManifestOperation;
  /** The operation of rows that do not name one. */
  readonly common: string | undefined;
  /** Whether rows may name others beside it: a file from another person could contain them unnoticed. */
  readonly allowsOthers: boolean;
  /** Whether a row of an operation may leave out required fields of its body: they stay as they are. */
  isPartial(operation: ManifestOperation): boolean;
}

/** The row with ids in place of names. @throws CliError (exit 2) for an ambiguous name */
export async function resolveRow(names: NameResolver, row: BulkRow): Promise<BulkRow> {
  const { params = {}, query = {}, body } = row.input;
  const texts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const input = { params: texts, query: { ...query }, body: structuredClone(body) };
  await names.resolveRequest(row.operation, input);
  return { ...row, typed: row.input, input: { ...row.input, ...input } };
}

/** Creates a parser. */
export function createRowParser({ find, common, allowsOthers, isPartial }: RowOperations, read: CellReader): RowParser {
  const shapes = new Map<string, RequestSpec>();
  const getShape = (rowOperation: unknown): RequestSpec => {
    const id = rowOperation === undefined || rowOperation === '' ? common : rowOperation;
    if (typeof id !== 'string') throw new Error('no operation; set it in the row or with --operation');
    if (common !== undefined && id !== common && !allowsOthers)
      throw new Error(`${JSON.stringify(id)} is not the operation ${common}; --allow-other-operations permits it`);
    const found = shapes.get(id) ?? buildRequestSpec(find(id));
    shapes.set(id, found);
    return found;
  };
  return ({ number, line, text, cells, value, problem }) => {
    try {
      if (problem !== undefined) throw new Error(problem);
      const call = cells ? parseCsvCall(getShape(cells.operation), cells, read) : parseJsonCall(getShape, value);
      const { operation, ...input } = call;
      const wrong = findTypeProblem(operation.body ?? {}, call.body, '');
      if (wrong) throw new Error(`${wrong.message}${wrong.remedy === undefined ? '' : `; write ${wrong.remedy}`}`);
      assertRequiredFields(call, isPartial(operation));
      return { number, line, text, operation, input };
    } catch (error) {
      return { number, line, text, reason: (error as Error).message };
    }
  };
}

function parseJsonCall(getShape: (id: unknown) => RequestSpec, value: unknown): Call {
  if (!isObject(value)) throw new Error('must be an object');
  if (value.ifMatch !== undefined && typeof value.ifMatch !== 'string') throw new Error('ifMatch must be a string');
  const shape = getShape(value.operation);
  const unknownKey = Object.keys(value).find((name) => !callParts.includes(name));
  if (unknownKey !== undefined) return parseFlatCall(shape, value, unknownKey);
  const { operation } = shape;
  const params = parseScalars(
    'params',
    value.params,
    operation.params.map(({ name }) => name),
  );
  const query = parseScalars(
    'query',
    value.query,
    operation.query.map(({ name }) => name),
  );
  return { operation, params, query, body: value.body, ifMatch: value.ifMatch };
}

/** An object with the fields of the operation as its keys. Their values are as they are. */
function parseFlatCall(shape: RequestSpec, row: Readonly<Record<string, unknown>>, key: string): Call {
  const { operation: _operation, ifMatch, ...fields } = row;
  if (['params', 'query', 'body'].some((name) => Object.hasOwn(fields, name)))
    throw new Error(
      `unknown key ${JSON.stringify(key)}; use ${callParts.join(', ')}, or only fields of ${shape.operation.id}`,
    );
  const parts = parseFields(shape, Object.entries(fields), {
    noun: 'key',
    find: (name) => findWholeField(shape, name) ?? findTarget(shape, name),
    convert: ({ part }, value) => {
      if (part === 'body') return shape.members ? [value].flat() : value;
      if (['string', 'number', 'boolean'].includes(typeof value)) return value;
      throw new Error('must be a string, number or boolean');
    },
  });
  return { ...parts, ifMatch: ifMatch as string | undefined };
}

/** A field of the body with all that is in it: in CSV, an object has a column for each of its fields. */
function findWholeField({ operation, members, entries }: RequestSpec, name: string): Target | undefined {
  const properties = members || entries ? {} : (operation.body?.properties ?? {});
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const isParameter = [...operation.params, ...operation.query].some((one) => one.name === name);
  return schema && !isParameter ? { part: 'body', field: createField([name], schema, false) } : undefined;
}

function parseScalars(part: string, value: unknown, known: readonly string[]): Record<string, Scalar> {
  if (value === undefined) return {};
  if (!isObject(value)) throw new Error(`${part} must be an object`);
  for (const [name, scalar] of Object.entries(value)) {
    if (!known.includes(name))
      throw new Error(`unknown key ${JSON.stringify(name)} in ${part}; ${formatKnownNames(known)}`);
    if (!['string', 'number', 'boolean'].includes(typeof scalar))
      throw new Error(`${part}.${name} must be a string, number or boolean`);
  }
  return value as Record<string, Scalar>;
}

/** Empty cells are ignored. */
function parseCsvCall(shape: RequestSpec, cells: Readonly<Record<string, string>>, read: CellReader): Call {
  const { operation: _operation, ifMatch = '', ...columns } = cells;
  const values = Object.entries(columns).flatMap(([name, text]) => (text === '' ? [] : [[read(name), text] as const]));
  const parts = parseFields(shape, values, {
    noun: 'column',
    find: (name) => findTarget(shape, name),
    convert: (target, text) => {
      if (target.part === 'params') return assertTrimmed(read(text));
      return target.part === 'body' && shape.members
        ? splitCell(shape.members.schema, text, read)
        : convertCell(target.field, text, read);
    },
  });
  return { ...parts, ifMatch: read(ifMatch) || undefined };
}

interface FieldReader<Value> {
  /** What messages call the place of a value. */
  readonly noun: string;
  find(name: string): Target;
  convert(target: Target, value: Value): unknown;
}

/** @throws Error for a field that does not exist, that two names mean, or whose value is not valid */
function parseFields<Value>(
  shape: RequestSpec,
  values: Iterable<readonly [name: string, value: Value]>,
  { noun, find, convert }: FieldReader<Value>,
): Omit<Call, 'ifMatch'> {
  const params: Record<string, Scalar> = {};
  const query: Record<string, Scalar> = {};
  const body: Record<string, unknown> = {};
  const names = new Map<string, string>();
  for (const [name, value] of values) {
    try {
      const target = find(name);
      const path = target.part === 'params' ? [target.name] : target.field.path;
      const key = `${target.part} ${path.join('.')}.`;
      const [, other] = [...names].find(([known]) => known.startsWith(key) || key.startsWith(known)) ?? [];
      if (other !== undefined) throw new Error(`is the same field as ${noun} ${other}`);
      names.set(key, name);
      const converted = convert(target, value);
      if (target.part === 'body') setAtPath(body, path, converted);
      else (target.part === 'params' ? params : query)[path[0] ?? ''] = converted as Scalar;
    } catch (error) {
      throw new Error(`${noun} ${name}: ${(error as Error).message}`);
    }
  }
  return { operation: shape.operation, params, query, body: buildBody(shape, body) };
}

type Target =
  | { readonly part: 'params'; readonly name: string }
  | { readonly part: 'query' | 'body'; readonly field: Field };

/**
 * A name is that of a path parameter, then of a query parameter, then of a body field, unless a prefix `params.`, `query.` or
 * `body.` selects the part; else that of an argument of the command, as lists have it: `userId`.
 */
function findTarget({ operation, query, body, members }: RequestSpec, typed: string): Target {
  const [, part, name = ''] = /^(?:(params|query|body)\.)?(.+)$/s.exec(typed) ?? [];
  const fieldIn = (fields: readonly Field[]) => fields.find(({ path }) => path.join('.') === name);
  const bodyFields = members ? [members] : body;
  if ((part ?? 'params') === 'params' && operation.params.some((param) => param.name === name))
    return { part: 'params', name };
  const inQuery = (part ?? 'query') === 'query' ? fieldIn(query) : undefined;
  if (inQuery) return { part: 'query', field: inQuery };
  const inBody = (part ?? 'body') === 'body' ? fieldIn(bodyFields) : undefined;
  if (inBody) return { part: 'body', field: inBody };
  const listed = operation.params.find((param) => formatArgumentName(param) === toKebabCase(name));
  if (listed) return { part: 'params', name: listed.name };
  const known = [...operation.params.map((param) => param.name), ...[...query, ...bodyFields].map(formatFieldName)];
  const similar = known.find((one) => toPlainName(one) === toPlainName(typed));
  const hint = similar === undefined ? formatKnownNames(known) : `did you mean ${similar}?`;
  throw new Error(`${operation.id} has no field ${JSON.stringify(typed)}; ${hint}`);
}

/** Without case, spaces and punctuation: `User Name` is like userName. */
function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function formatFieldName({ path }: Field): string {
  return path.join('.');
}

function buildBody({ operation, members, entries }: RequestSpec, fields: Record<string, unknown>): unknown {
  if (!operation.body) return undefined;
  if (members) return asArray(fields[members.path[0] ?? '']).map((value) => ({ [members.path[0] ?? '']: value }));
  if (entries) return { [entries.path[0] ?? '']: [fields] };
  return fields;
}

/** Checks for missing values; the server validates the rest. */
function assertRequiredFields({ operation, params, query, body }: Call, isPartial: boolean): void {
  const required = (isPartial ? undefined : operation.body?.required) ?? [];
  const bodyFields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const missing = [
    ...operation.params.map(({ name }) => name).filter((name) => (params[name] ?? '') === ''),
    ...operation.query
      .filter(({ name, required: isRequired }) => isRequired && query[name] === undefined)
      .map(({ name }) => name),
    ...required.filter((name) => bodyFields[name] === undefined),
  ];
  if (missing.length > 0) throw new Error(`${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing`);
  if (operation.body?.type === 'array' && asArray(body).length === 0)
    throw new Error('the body must not be an empty list');
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function formatKnownNames(known: readonly string[]): string {
  return known.length > 0 ? `use ${known.join(', ')}` : 'none are allowed';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
