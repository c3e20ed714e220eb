/** Converts a record to a request, and validates it as far as possible without the server. */
import type { CallInput, Scalar } from '../../client/types.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { type Field, setAtPath } from '../request/field-options.ts';
import { buildRequestSpec, type RequestSpec } from '../request/request-spec.ts';
import type { NameResolver } from '../request/resolve-names.ts';
import { assertTrimmed, type CellReader, convertCell, splitCell } from './cells.ts';
import type { RowRecord } from './records.ts';

export interface BulkRow {
  readonly number: number;
  readonly line: number;
  readonly text: string;
  readonly operation: ManifestOperation;
  readonly input: CallInput;
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
  return { ...row, input: { ...row.input, ...input } };
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
      assertRequiredFields(call, isPartial(operation));
      return { number, line, text, operation, input };
    } catch (error) {
      return { number, line, text, reason: (error as Error).message };
    }
  };
}

function parseJsonCall(getShape: (id: unknown) => RequestSpec, value: unknown): Call {
  if (!isObject(value)) throw new Error('must be an object');
  const unknownKey = Object.keys(value).find((name) => !callParts.includes(name));
  if (unknownKey) throw new Error(`unknown key ${JSON.stringify(unknownKey)}; use ${callParts.join(', ')}`);
  const { operation } = getShape(value.operation);
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
  if (value.ifMatch !== undefined && typeof value.ifMatch !== 'string') throw new Error('ifMatch must be a string');
  return { operation, params, query, body: value.body, ifMatch: value.ifMatch };
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

/**
 * Column names are resolved as path parameter, then query parameter, then body field, unless a prefix `params.`,
 * `query.` or `body.` selects the part. Empty cells are ignored.
 */
function parseCsvCall(shape: RequestSpec, cells: Readonly<Record<string, string>>, read: CellReader): Call {
  const { operation } = shape;
  const params: Record<string, Scalar> = {};
  const query: Record<string, Scalar> = {};
  const body: Record<string, unknown> = {};
  const columns = new Map<string, string>();
  for (const [name, text] of Object.entries(cells)) {
    if (text === '' || name === 'operation' || name === 'ifMatch') continue;
    const column = read(name);
    const target = findTarget(shape, column);
    assertSingle(columns, target, column);
    try {
      if (target.part === 'params') params[target.name] = assertTrimmed(read(text));
      else if (target.part === 'query')
        query[target.field.path[0] ?? ''] = convertCell(target.field, text, read) as Scalar;
      else if (shape.members) setAtPath(body, target.field.path, splitCell(text, read));
      else setAtPath(body, target.field.path, convertCell(target.field, text, read));
    } catch (error) {
      throw new Error(`column ${column}: ${(error as Error).message}`);
    }
  }
  return { operation, params, query, body: buildBody(shape, body), ifMatch: read(cells.ifMatch ?? '') || undefined };
}

/** @throws Error if another column with a cell in this row has the same field, such as `userName` and `body.userName` */
function assertSingle(columns: Map<string, string>, target: Target, column: string): void {
  const key = `${target.part} ${target.part === 'params' ? target.name : formatFieldName(target.field)}`;
  const other = columns.get(key);
  if (other !== undefined) throw new Error(`column ${column}: is the same field as column ${other}`);
  columns.set(key, column);
}

type Target =
  | { readonly part: 'params'; readonly name: string }
  | { readonly part: 'query' | 'body'; readonly field: Field };

function findTarget({ operation, query, body, members }: RequestSpec, column: string): Target {
  const [, part, name = ''] = /^(?:(params|query|body)\.)?(.+)$/s.exec(column) ?? [];
  const fieldIn = (fields: readonly Field[]) => fields.find(({ path }) => path.join('.') === name);
  const bodyFields = members ? [members] : body;
  if ((part ?? 'params') === 'params' && operation.params.some((param) => param.name === name))
    return { part: 'params', name };
  const inQuery = (part ?? 'query') === 'query' ? fieldIn(query) : undefined;
  if (inQuery) return { part: 'query', field: inQuery };
  const inBody = (part ?? 'body') === 'body' ? fieldIn(bodyFields) : undefined;
  if (inBody) return { part: 'body', field: inBody };
  const known = [...operation.params.map((param) => param.name), ...[...query, ...bodyFields].map(formatFieldName)];
  const similar = known.find((one) => toPlainName(one) === toPlainName(column));
  const hint = similar === undefined ? formatKnownNames(known) : `did you mean ${similar}?`;
  throw new Error(`column ${column}: ${operation.id} has no field ${JSON.stringify(column)}; ${hint}`);
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

/** Checks only for missing values; the server validates the rest. */
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
