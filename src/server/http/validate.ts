/** Checks path, query and body against the declaration, and turns what is wrong into faults that name the field. */
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { type Fault, type FieldErrorCode, fieldError, IamError } from '../../contract/errors.ts';
import { garbledNames, isWellEncoded } from './query.ts';

type Shape = Readonly<Record<string, z.ZodType>>;
type Issue = z.core.$ZodIssue;

/** `field`, `list[3].field`: how messages name a place in a body. */
function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`),
    '',
  );
}

const mostShown = 100;

/** One fault for each issue. The rejected value itself is never repeated: it may be a secret. */
function faultsOf(issues: readonly Issue[], what: string): Fault[] {
  return issues
    .slice(0, mostShown)
    .flatMap((issue) => faultsOfIssue(issue, what))
    .slice(0, mostShown);
}

function faultsOfIssue(issue: Issue, what: string): Fault[] {
  const field = placeOf(issue.path);
  const place = field || what;
  // The body itself is no field.
  const details = field === '' ? undefined : { field };
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostShown).map((key) => unknownField(placeOf([...issue.path, key])));
  const due = typeDue(issue);
  if (due !== undefined) {
    if (issue.input === undefined && issue.path.length > 0)
      return [{ code: 'FIELD_MISSING', message: `${place} is required.`, details }];
    return [{ code: 'FIELD_TYPE', message: `${place} must be ${article(due)}.`, details }];
  }
  if (issue.code === 'invalid_union')
    return [{ code: 'FIELD_TYPE', message: `${place} is of none of the possible forms.`, details }];
  return [{ code: 'FIELD_VALUE', message: `${place} ${issue.message}.`, details }];
}

function unknownField(field: string): Fault {
  return { code: 'FIELD_UNKNOWN', message: `${field}: there is no such field.`, details: { field } };
}

/** The type that was due where another came; of a choice that is the type of its values. */
function typeDue(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') return issue.expected;
  if (issue.code !== 'invalid_value') return undefined;
  const type = typeof issue.values[0];
  return typeof issue.input === type ? undefined : type;
}

function article(type: string): string {
  const name = type === 'int' ? 'whole number' : type === 'record' ? 'object' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/**
 * Gives every issue a predicate as its message. Checks of the contract bring theirs (`must not be empty`), which zod
 * takes first; only where a check has none does zod ask here, and its own words are a sentence.
 */
const predicates: z.core.$ZodErrorMap = (issue) => {
  const message = z.config().localeError?.(issue);
  const text = typeof message === 'object' ? message?.message : message;
  return `is not allowed: ${text ?? 'Invalid input'}`;
};

/** @throws IamError with one fault for each thing that is wrong; malformed ones first, since their status outranks. */
export function checkBody(schema: z.ZodType, body: unknown): unknown {
  const result = schema.safeParse(body, { reportInput: true, error: predicates });
  if (result.success) return result.data;
  throw inOrder(faultsOf(result.error.issues, 'The body'));
}

function inOrder(faults: readonly Fault[]): IamError {
  const malformed = faults.filter(({ code }) => code !== 'FIELD_VALUE');
  const refused = faults.filter(({ code }) => code === 'FIELD_VALUE');
  return new IamError([...malformed, ...refused] as [Fault, ...Fault[]]);
}

/** @throws IamError PATH_VALUE. `raw` holds the segments as they came. */
export function checkParams(shape: Shape, raw: ReadonlyMap<string, string>): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, segment] of raw) {
    const schema = shape[name];
    if (schema) params[name] = checkParam(name, schema, segment);
  }
  return params;
}

function checkParam(name: string, schema: z.ZodType, raw: string): unknown {
  const result = schema.safeParse(decodeSegment(name, raw), { error: predicates });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw fieldError('PATH_VALUE', name, `${name} in the path ${issue?.message ?? 'is not possible'}.`);
}

function decodeSegment(name: string, raw: string): string {
  if (!raw.includes('%')) return raw;
  if (!isWellEncoded(raw)) throw fieldError('PATH_VALUE', name, `${name} in the path is not valid percent-encoding.`);
  return decodeURIComponent(raw);
}

/** A reader of the query for one operation. `lenient`: what is wrong counts as not given (no 400 is documented). */
export function queryReader(shape: Shape, lenient: boolean) {
  const readers = Object.entries(shape).map(([name, schema]) => {
    const kind = kindOf(schema);
    return { name, read: remembering((given) => readParameter(given, schema, kind, name), kind) };
  });
  return (search: URLSearchParams, raw: string): Record<string, unknown> => {
    const found: Record<string, unknown> = {};
    const faults: Fault[] = [];
    const garbled = garbledNames(raw);
    for (const { name, read } of readers) {
      const outcome = garbled.has(name)
        ? refused('FIELD_TYPE', name, `${name} is not valid percent-encoding.`)
        : read(search.has(name) ? search.getAll(name) : nothing);
      if (outcome.faults.length > 0) faults.push(...outcome.faults);
      else if (outcome.value !== undefined) found[name] = outcome.value;
    }
    if (faults.length > 0 && !lenient) throw inOrder(faults);
    return found;
  };
}

const nothing: readonly string[] = [];

/** Who asks again mostly gives the same numbers and truth values. A text may be a secret, which is not kept for that. */
function remembering(read: (given: readonly string[]) => ParameterOutcome, kind: string) {
  let absent: ParameterOutcome | undefined;
  let latest: { readonly text: string; readonly outcome: ParameterOutcome } | undefined;
  return (given: readonly string[]): ParameterOutcome => {
    const [text] = given;
    if (text === undefined) {
      absent ??= read(nothing);
      return absent;
    }
    if (given.length > 1 || kind === 'string') return read(given);
    if (latest?.text !== text) latest = { text, outcome: read(given) };
    return latest.outcome;
  };
}

/** A reader of the headers that one operation declares. `lenient`: what is wrong counts as not given. */
export function headerReader(shape: Shape, lenient: boolean) {
  const names = Object.entries(shape);
  return (given: IncomingHttpHeaders): Record<string, unknown> => {
    const found: Record<string, unknown> = {};
    const faults: Fault[] = [];
    for (const [name, schema] of names) {
      const outcome = readParameter([given[name.toLowerCase()] ?? []].flat(), schema, kindOf(schema), name);
      faults.push(...outcome.faults);
      if (outcome.value !== undefined) found[name] = outcome.value;
    }
    if (faults.length > 0 && !lenient) throw inOrder(faults);
    return found;
  };
}

interface ParameterOutcome {
  readonly value?: unknown;
  readonly faults: readonly Fault[];
}

function readParameter(given: readonly string[], schema: z.ZodType, kind: string, name: string): ParameterOutcome {
  if (given.length > 1) return refused('QUERY_REPEATED', name, `${name} is given more than once.`);
  const value = coerce(given[0], kind);
  if (typeof value === 'string' && kind !== 'string')
    return refused('FIELD_TYPE', name, `${name} must be ${article(kind)}.`);
  const result = schema.safeParse(value, { reportInput: true, error: predicates });
  if (result.success) return { value: result.data, faults: [] };
  if (value === undefined) return refused('FIELD_MISSING', name, `${name} is required.`);
  const [issue] = result.error.issues;
  return refused('FIELD_VALUE', name, `${name} ${issue?.message ?? 'is not allowed'}.`);
}

function refused(code: FieldErrorCode, field: string, message: string): ParameterOutcome {
  return { faults: [{ code, message, details: { field } }] };
}

/** The type under optional wrappers: what the text of a query has to be turned into. */
function kindOf(schema: z.ZodType): string {
  const { type, innerType } = schema.def as { type: string; innerType?: z.ZodType };
  return innerType ? kindOf(innerType) : type;
}

function coerce(text: string | undefined, kind: string): string | number | boolean | undefined {
  if (text === undefined) return undefined;
  if (kind === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
