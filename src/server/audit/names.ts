/** Ids in what is sent and answered: what a decision is about, and never a secret. */
import type * as z from 'zod';
import type { Operation } from '../../contract/operation.ts';
import { isHiddenName } from '../../contract/secret-names.ts';
import { parametersIn } from '../http/paths.ts';
import { namesIn } from '../insight/redact.ts';

export type Targets = Readonly<Record<string, string | readonly string[]>>;

/** Ids, names of entities, and the roles that are given or taken. */
const telling = /(^id|Ids?|Name|^roles?|^dependenc(y|ies)|^identity)$/;
const answered = /(^id|Id)$/;

const longest = 200;
const most = 50;

/** What the path names. Of any call: a path that can't be decoded names nothing. */
export function targetsInPath(operation: Operation<never>, path: string): Targets {
  const entries = [...readerOf(operation)(path)].map(([name, value]) => [name, decoded(value)] as const);
  return Object.fromEntries(entries.flatMap(([name, value]) => (isShort(value) ? [[name, value]] : [])));
}

/** What declared fields of a body name. */
export function targetsInBody({ request }: Operation<never>, body: unknown): Targets {
  return picked(body, telling, request.body);
}

/** What declared fields of an answer name: ids that were made. */
export function targetsInAnswer({ response }: Operation<never>, answer: string | undefined): Targets {
  if (!('body' in response) || answer === undefined || !answer.startsWith('{')) return {};
  // Most answers with tokens name nothing, and are not worth being read.
  if (shownNames(response.body, answered).size === 0) return {};
  try {
    return picked(JSON.parse(answer), answered, response.body);
  } catch {
    return {};
  }
}

const readers = new WeakMap<object, ReturnType<typeof parametersIn>>();

function readerOf(operation: Operation<never>): ReturnType<typeof parametersIn> {
  const reader = readers.get(operation) ?? parametersIn(operation.path);
  readers.set(operation, reader);
  return reader;
}

function picked(value: unknown, pattern: RegExp, schema: z.ZodType | undefined): Targets {
  if (!schema || typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const names = shownNames(schema, pattern);
  const entries = Object.entries(value).filter(([name]) => names.has(name));
  return Object.fromEntries(entries.flatMap(([name, one]) => (isTelling(one) ? [[name, one]] : [])));
}

/** By schema and by pattern: neither ever changes. */
const shown = new Map<RegExp, WeakMap<z.ZodType, ReadonlySet<string>>>();

/** The declared names that the pattern fits, and no secret. */
function shownNames(schema: z.ZodType, pattern: RegExp): ReadonlySet<string> {
  const bySchema = shown.get(pattern) ?? new WeakMap<z.ZodType, ReadonlySet<string>>();
  shown.set(pattern, bySchema);
  const names =
    bySchema.get(schema) ?? new Set([...namesIn(schema)].filter((name) => pattern.test(name) && !isHiddenName(name)));
  bySchema.set(schema, names);
  return names;
}

function isTelling(value: unknown): value is string | readonly string[] {
  return isShort(value) || (Array.isArray(value) && value.length <= most && value.every(isShort));
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
