/** Validates path, query and body against the declaration, and reports errors that name the field. */
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type ApiErrorItem, type FieldErrorCode, fieldError, formatPath, IamError } from '../../contract/errors.ts';
import { withoutNullMembers } from '../../contract/schemas/null-members.ts';
import { suggestName } from '../../lib/nearest-name.ts';
import { createPause } from '../lib/event-loop-turns.ts';
import { findMalformedNames, isWellEncoded } from './query.ts';

type Shape = Readonly<Record<string, z.ZodType>>;
type Issue = z.core.$ZodIssue;

const maxErrors = 100;

/** Converts issues to API errors. Messages never contain the rejected value: it may be a secret. */
function listErrors(issues: readonly Issue[], what: string): ApiErrorItem[] {
  return issues
    .slice(0, maxErrors)
    .flatMap((issue) => toErrors(issue, what))
    .slice(0, maxErrors);
}

function toErrors(issue: Issue, what: string): ApiErrorItem[] {
  const field = formatPath(issue.path);
  const subject = field || what;
  // An empty path is the body, not a field.
  const details = field === '' ? undefined : { field };
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxErrors).map((key) => unknownField(formatPath([...issue.path, key]), issue.message));
  const expected = expectedType(issue);
  if (expected !== undefined) {
    if (issue.input === undefined && issue.path.length > 0)
      return [{ code: 'FIELD_MISSING', message: `${subject} is required.`, details }];
    return [{ code: 'FIELD_TYPE', message: `${subject} must be ${withArticle(expected)}.`, details }];
  }
  if (issue.code === 'invalid_union')
    return [{ code: 'FIELD_TYPE', message: `${subject} matches none of the allowed forms.`, details }];
  return [{ code: 'FIELD_VALUE', message: `${subject} ${issue.message}.`, details }];
}

/** @param hint what is accepted instead, or nothing */
function unknownField(field: string, hint: string): ApiErrorItem {
  return { code: 'FIELD_UNKNOWN', message: `Unknown field: ${field}.${hint}`, details: { field } };
}

/** The expected type, if the input has another type; for an enum, the type of its values. */
function expectedType(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return issue.expected;
  if (issue.code !== 'invalid_value') return undefined;
  const type = typeof issue.values[0];
  return typeof issue.input === type ? undefined : type;
}

function withArticle(type: string): string {
  const name = type === 'int' ? 'whole number' : type === 'record' ? 'object' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/**
 * Fallback message for checks of the contract without their own predicate (such as `must not be empty`). zod's messages
 * are sentences, so they become a predicate here. Of unknown fields, it is what the object accepts.
 */
function createPredicates(): z.core.$ZodErrorMap {
  let hints = 0;
  return (issue) => {
    if (issue.code === 'unrecognized_keys') {
      const names = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
      const [only = ''] = issue.keys;
      return names.length === 0 || issue.keys.length > 1 || ++hints > maxHints ? '' : suggestName(only, names);
    }
    const message = z.config().localeError?.(issue);
    const text = typeof message === 'object' ? message?.message : message;
    return `is not allowed: ${text ?? 'Invalid input'}`;
  };
}

/** Of one body: a search for a similar name takes long, and a body can have thousands of them. */
const maxHints = 10;

/**
 * Members that are null count as absent where null is not allowed.
 * @throws IamError with one error per issue; format errors first, since their status takes precedence.
 */
export function validateBody(schema: z.ZodType, body: unknown): unknown {
  const params = { reportInput: true, error: createPredicates() };
  const parse = (value: unknown) => schema.safeParse(value, params);
  const result = parse(body);
  // Only then: most bodies have none.
  const present = result.success ? body : withoutNullMembers(schema, body);
  return acceptBody(present === body ? result : parse(present));
}

/** Like `validateBody`, for a schema with asynchronous checks or long lists. */
export async function validateBodyAsync(schema: z.ZodType, body: unknown): Promise<unknown> {
  const params = { reportInput: true, error: createPredicates() };
  // Before the only parse, unlike those of short bodies: that of a long one takes long.
  return acceptBody(await safeParseInSlices(schema, body, params, withoutNullMembers));
}

type Result = z.ZodSafeParseResult<unknown>;
type Params = z.core.ParseContext<Issue>;

/** Elements of a list that are validated in one turn of the event loop: with zod, 40,000 values take a tenth of a second. */
const sliceLength = 100;

interface ParsedList {
  readonly items: readonly unknown[];
  readonly issues: readonly Issue[];
}

/** Changes a value before it is validated by the schema. */
type Prepare = (schema: z.ZodType, value: unknown) => unknown;

/** Like `schema.safeParseAsync`, but the long lists among the fields of an object are prepared and validated in slices. */
export async function safeParseInSlices(
  schema: z.ZodType,
  body: unknown,
  params: Params,
  prepare: Prepare = (_, value) => value,
): Promise<Result> {
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null || Array.isArray(body))
    return schema.safeParseAsync(prepare(schema, body), params);
  const rest: Record<string, unknown> = { ...body };
  const lists = new Map<string, ParsedList>();
  for (const [name, field] of Object.entries(schema.shape)) {
    const list = field instanceof z.ZodOptional ? field.unwrap() : field;
    const items = rest[name];
    if (!(list instanceof z.ZodArray) || list.def.checks?.length || !Array.isArray(items)) continue;
    if (items.length <= sliceLength) continue;
    lists.set(name, await parseList(list, items, { params, name, prepare }));
    rest[name] = [];
  }
  const prepared = prepare(schema, rest);
  if (lists.size === 0) return schema.safeParseAsync(prepared, params);
  return merge(await schema.safeParseAsync(prepared, params), lists, Object.keys(schema.shape));
}

async function parseList(
  list: z.ZodArray,
  items: readonly unknown[],
  { params, name, prepare }: { readonly params: Params; readonly name: string; readonly prepare: Prepare },
): Promise<ParsedList> {
  const pause = createPause(1);
  const parsed: unknown[] = [];
  const issues: Issue[] = [];
  for (let at = 0; at < items.length; at += sliceLength) {
    await pause();
    const { data, error } = await list.safeParseAsync(prepare(list, items.slice(at, at + sliceLength)), params);
    for (const item of data ?? []) parsed.push(item);
    for (const issue of error?.issues ?? []) {
      const [index, ...path] = issue.path;
      issues.push({ ...issue, path: [name, at + Number(index), ...path] });
    }
  }
  return { items: parsed, issues };
}

function merge(result: Result, lists: ReadonlyMap<string, ParsedList>, names: readonly string[]): Result {
  const issues = [...lists.values()].flatMap((list) => list.issues);
  if (result.success && issues.length === 0) {
    const items = [...lists].map(([name, list]) => [name, list.items]);
    return { success: true, data: { ...(result.data as object), ...Object.fromEntries(items) } };
  }
  // In the order of the fields, then those of the object itself.
  const orderOf = ({ path: [name] }: Issue) => (name === undefined ? names.length : names.indexOf(String(name)));
  const all = [...(result.error?.issues ?? []), ...issues].sort((one, other) => orderOf(one) - orderOf(other));
  return { success: false, error: new z.ZodError(all) };
}

function acceptBody(result: z.ZodSafeParseResult<unknown>): unknown {
  if (result.success) return result.data;
  throw createValidationError(listErrors(result.error.issues, 'The body'));
}

function createValidationError(errors: readonly ApiErrorItem[]): IamError {
  const malformed = errors.filter(({ code }) => code !== 'FIELD_VALUE');
  const invalid = errors.filter(({ code }) => code === 'FIELD_VALUE');
  return new IamError([...malformed, ...invalid] as [ApiErrorItem, ...ApiErrorItem[]]);
}

/** Validates path parameters. `raw` contains the percent-encoded segments. @throws IamError PATH_VALUE. */
export function validateParams(shape: Shape, raw: ReadonlyMap<string, string>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, segment] of raw) {
    const schema = shape[name];
    if (schema) params[name] = validateParam(name, schema, segment);
  }
  return params;
}

function validateParam(name: string, schema: z.ZodType, raw: string): unknown {
  const result = schema.safeParse(decodeSegment(name, raw), { error: createPredicates() });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw fieldError('PATH_VALUE', name, `${name} in the path ${issue?.message ?? 'is not allowed'}.`);
}

function decodeSegment(name: string, raw: string): string {
  if (!raw.includes('%')) return raw;
  if (!isWellEncoded(raw)) throw fieldError('PATH_VALUE', name, `${name} in the path is not valid percent-encoding.`);
  return decodeURIComponent(raw);
}

export interface QueryReaderOptions {
  /** Invalid values are ignored: the operation documents no 400. */
  readonly lenient: boolean;
  /** Parameters that the operation does not declare are errors. */
  readonly rejectUnknown?: boolean | undefined;
}

export function createQueryReader(shape: Shape, { lenient, rejectUnknown = false }: QueryReaderOptions) {
  const names = Object.keys(shape);
  const readers = Object.entries(shape).map(([name, schema]) => {
    const kind = unwrapType(schema);
    const read = (values: readonly string[]) => readParameter(values, schema, kind, name);
    // Evaluated once: for the parameters of a list, it takes 9 µs on Node 20.
    return { name, read, absent: read([]) };
  });
  return (search: URLSearchParams, raw: string): Record<string, unknown> => {
    const found: Record<string, unknown> = {};
    const errors = rejectUnknown ? listUnknownParameters(search, names) : [];
    const malformed = findMalformedNames(raw);
    for (const { name, read, absent } of readers) {
      const outcome = malformed.has(name)
        ? rejectParameter('FIELD_TYPE', name, `${name} is not valid percent-encoding.`)
        : search.has(name)
          ? read(search.getAll(name))
          : absent;
      if (outcome.errors.length > 0) errors.push(...outcome.errors);
      else if (outcome.value !== undefined) found[name] = outcome.value;
    }
    if (errors.length > 0 && !lenient) throw createValidationError(errors);
    return found;
  };
}

function listUnknownParameters(search: URLSearchParams, names: readonly string[]): ApiErrorItem[] {
  return [...new Set(search.keys())]
    .filter((name) => !names.includes(name))
    .slice(0, maxErrors)
    .map((field) => ({
      code: 'FIELD_UNKNOWN',
      message: `Unknown query parameter: ${field}.${suggestParameter(field, names)}`,
      details: { field },
    }));
}

function suggestParameter(name: string, names: readonly string[]): string {
  return names.length === 0 ? ' This path accepts none.' : suggestName(name, names);
}

/** Creates a reader for the headers that one operation declares. `lenient`: invalid values are ignored. */
export function createHeaderReader(shape: Shape, lenient: boolean) {
  const names = Object.entries(shape);
  return (headers: IncomingHttpHeaders): Record<string, unknown> => {
    const found: Record<string, unknown> = {};
    const errors: ApiErrorItem[] = [];
    for (const [name, schema] of names) {
      const outcome = readParameter([headers[name.toLowerCase()] ?? []].flat(), schema, unwrapType(schema), name);
      errors.push(...outcome.errors);
      if (outcome.value !== undefined) found[name] = outcome.value;
    }
    if (errors.length > 0 && !lenient) throw createValidationError(errors);
    return found;
  };
}

interface ParameterOutcome {
  readonly value?: unknown;
  readonly errors: readonly ApiErrorItem[];
}

function readParameter(values: readonly string[], schema: z.ZodType, kind: string, name: string): ParameterOutcome {
  if (kind === 'array') return readRepeatable(values, schema, name);
  if (values.length > 1) return rejectParameter('QUERY_REPEATED', name, `${name} is given more than once.`);
  const value = coerce(values[0], kind);
  if (typeof value === 'string' && kind !== 'string')
    return rejectParameter('FIELD_TYPE', name, `${name} must be ${withArticle(kind)}.`);
  const result = schema.safeParse(value, { reportInput: true, error: createPredicates() });
  if (result.success) return { value: result.data, errors: [] };
  if (value === undefined) return rejectParameter('FIELD_MISSING', name, `${name} is required.`);
  const [issue] = result.error.issues;
  return rejectParameter('FIELD_VALUE', name, `${name} ${issue?.message ?? 'is not allowed'}.`);
}

/** A parameter whose schema is a list can be repeated. */
function readRepeatable(values: readonly string[], schema: z.ZodType, name: string): ParameterOutcome {
  const result = schema.safeParse(values.length === 0 ? undefined : values, { error: createPredicates() });
  if (result.success) return { value: result.data, errors: [] };
  return rejectParameter('FIELD_VALUE', name, `${name} ${result.error.issues[0]?.message ?? 'is not allowed'}.`);
}

function rejectParameter(code: FieldErrorCode, field: string, message: string): ParameterOutcome {
  return { errors: [{ code, message, details: { field } }] };
}

/** The type inside optional wrappers, to which the text of a query is converted. */
function unwrapType(schema: z.ZodType): string {
  const { type, innerType } = schema.def as { type: string; innerType?: z.ZodType };
  if (innerType) return unwrapType(innerType);
  // The values of enums are strings.
  return type === 'enum' ? 'string' : type;
}

function coerce(text: string | undefined, kind: string): string | number | boolean | undefined {
  if (text === undefined) return undefined;
  if (kind === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
