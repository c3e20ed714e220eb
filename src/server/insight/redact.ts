/**
 * What of a kept call may be looked at: of bodies and queries only what the operation declares, and of that nothing
 * whose name says that it is secret. What is not declared may be a secret in the wrong place.
 */
import * as z from 'zod';
import type { Operation } from '../../contract/operation.ts';
import { isHiddenName } from '../../contract/secret-names.ts';
import { parseQuery } from '../http/query.ts';
import { type KeptCall, longestBody } from './journal.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

export const secretMark = '(secret)';
const undeclaredMark = '(not declared)';
/** Nothing is known of it, so only that it is there is told. */
const hiddenMark = '(not shown)';

/** The body of the request; undefined where there was none. */
export function shownBody({ body, bodyLength, operation }: KeptCall): unknown {
  if (body === undefined) return leftOut(bodyLength);
  const schema = operation?.request.body;
  return schema ? shownObjects(body, namesIn(schema)) : hiddenMark;
}

/** The body of the answer. An error array holds nothing that its caller was not told. */
export function shownAnswer({ answer, answerLength, errors, operation }: KeptCall): unknown {
  if (errors.length > 0) return errors;
  if (answer === undefined) return leftOut(answerLength);
  const schema = operation && schemaOfAnswer(operation);
  const value = schema && parsed(answer);
  return schema && typeof value === 'object' ? shown(value, namesIn(schema)) : hiddenMark;
}

/** Only objects and lists of them are due, so anything else may be a secret that was sent by itself. */
function shownObjects(value: unknown, declared: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => (isPlainObject(item) ? shown(item, declared) : hiddenMark));
  return isPlainObject(value) ? shown(value, declared) : hiddenMark;
}

function leftOut(length: number): string | undefined {
  return length > longestBody ? `(left out: ${length} bytes)` : undefined;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Query parameters by their names. */
export function shownQuery({ search, operation }: KeptCall): Record<string, string> {
  const declared = new Set([...Object.keys((operation?.request.query ?? {}) as Shape), ...clientIdOf(operation)]);
  const entries = [...parseQuery(search)].map(([name, value]) => [name, shownText(name, value, declared)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function clientIdOf(operation: Operation<never> | undefined): string[] {
  return operation?.auth === 'client-id' ? ['clientId'] : [];
}

function shownText(name: string, value: string, declared: ReadonlySet<string>): string {
  if (isHiddenName(name)) return secretMark;
  return declared.has(name) ? value : undeclaredMark;
}

function schemaOfAnswer({ response }: Operation<never>): z.ZodType | undefined {
  if ('page' in response) return response.page;
  return 'body' in response ? response.body : undefined;
}

function shown(value: unknown, declared: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => shown(item, declared));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const known = entries.filter(([name]) => declared.has(name));
  const shownFields = known.map(([name, inner]) => [name, isHiddenName(name) ? secretMark : shown(inner, declared)]);
  // Not even their names: a secret may stand where a name is due.
  const others = entries.length - known.length;
  return Object.fromEntries(others === 0 ? shownFields : [...shownFields, [undeclaredMark, others]]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const names = new WeakMap<z.ZodType, ReadonlySet<string>>();

/** Every name of a field, at any depth, that a schema declares. */
export function namesIn(schema: z.ZodType): ReadonlySet<string> {
  const known = names.get(schema);
  if (known) return known;
  const found = new Set<string>();
  collect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), found);
  names.set(schema, found);
  return found;
}

function collect(node: unknown, found: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  const { properties } = node as { readonly properties?: object };
  for (const name of Object.keys(properties ?? {})) found.add(name);
  for (const inner of Object.values(node)) collect(inner, found);
}
