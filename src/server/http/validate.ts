/** Checks path, query and body against the declaration, and turns what is wrong into faults that name the field. */
import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { type ErrorCode, type Fault, fault, IamError } from '../../contract/errors.ts';
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
  const place = placeOf(issue.path) || what;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostShown).map((key) => ({
      code: 'FIELD_UNKNOWN',
      message: `${placeOf([...issue.path, key])}: there is no such field.`,
    }));
  const due = typeDue(issue);
  if (due !== undefined) {
    if (issue.input === undefined && issue.path.length > 0)
      return [{ code: 'FIELD_MISSING', message: `${place} is required.` }];
    return [{ code: 'FIELD_TYPE', message: `${place} must be ${article(due)}.` }];
  }
  if (issue.code === 'invalid_union')
    return [{ code: 'FIELD_TYPE', message: `${place} is of none of the possible forms.` }];
  return [{ code: 'FIELD_VALUE', message: `${place} ${predicate(issue)}.` }];
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

/** Schemas of the contract speak in predicates (`must not be empty`); zod's own words come as sentences. */
function predicate(issue: Issue): string {
  return /^(must|is) /.test(issue.message) ? issue.message : `is not allowed: ${issue.message}`;
}

/** @throws IamError with one fault for each thing that is wrong; malformed ones first, since their status outranks. */
export function checkBody(schema: z.ZodType, body: unknown): unknown {
  const result = schema.safeParse(body, { reportInput: true });
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
  const result = schema.safeParse(decodeSegment(name, raw));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw fault('PATH_VALUE', `${name} in the path ${issue ? predicate(issue) : 'is not possible'}.`);
}

function decodeSegment(name: string, raw: string): string {
  if (!raw.includes('%')) return raw;
  if (!isWellEncoded(raw)) throw fault('PATH_VALUE', `${name} in the path is not valid percent-encoding.`);
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
        ? refused('FIELD_TYPE', `${name} is not valid percent-encoding.`)
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
  if (given.length > 1) return refused('QUERY_REPEATED', `${name} is given more than once.`);
  const value = coerce(given[0], kind);
  if (typeof value === 'string' && kind !== 'string') return refused('FIELD_TYPE', `${name} must be ${article(kind)}.`);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { value: result.data, faults: [] };
  if (value === undefined) return refused('FIELD_MISSING', `${name} is required.`);
  const [issue] = result.error.issues;
  return refused('FIELD_VALUE', `${name} ${issue ? predicate(issue) : 'is not allowed'}.`);
}

function refused(code: ErrorCode, message: string): ParameterOutcome {
  return { faults: [{ code, message }] };
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
