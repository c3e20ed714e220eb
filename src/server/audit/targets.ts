/** Reads the declared targets of a request: the values that identify what an event is about. */
import type { Operation } from '../../contract/operation.ts';
import { createPathParamsReader } from '../http/paths.ts';

export type Targets = Readonly<Record<string, string | readonly string[]>>;

/** Declared target fields by part of the request; all are optional. */
interface TargetFields {
  readonly path?: readonly string[];
  readonly body?: readonly string[];
  readonly response?: readonly string[];
}

const maxLength = 200;
const maxItems = 50;

/** Targets in the path. A segment that cannot be decoded is omitted. */
export function targetsInPath(operation: Operation<never>, path: string): Targets {
  const { path: fields = [] } = fieldsOf(operation);
  if (fields.length === 0) return {};
  const parameters = readerOf(operation)(path);
  return pick(fields, (name) => decoded(parameters.get(name)));
}

/** Targets in the body as sent; also for rejected requests. */
export function targetsInBody(operation: Operation<never>, body: unknown): Targets {
  return targetsIn(fieldsOf(operation).body, body);
}

/** Targets in the result of the handler, such as assigned ids. */
export function targetsInResult(operation: Operation<never>, result: unknown): Targets {
  return targetsIn(fieldsOf(operation).response, result);
}

/** Whether the result of the handler is needed once the response is sent. */
export function hasTargetsInResult(operation: Operation<never>): boolean {
  return (fieldsOf(operation).response ?? []).length > 0;
}

function fieldsOf({ audit }: Operation<never>): TargetFields {
  return audit.targets;
}

const readers = new WeakMap<object, ReturnType<typeof createPathParamsReader>>();

function readerOf(operation: Operation<never>): ReturnType<typeof createPathParamsReader> {
  const reader = readers.get(operation) ?? createPathParamsReader(operation.path);
  readers.set(operation, reader);
  return reader;
}

function targetsIn(fields: readonly string[] = [], value: unknown): Targets {
  if (fields.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return pick(fields, (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined));
}

function pick(fields: readonly string[], read: (name: string) => unknown): Targets {
  const entries = fields.map((name) => [name, read(name)] as const);
  return Object.fromEntries(entries.flatMap(([name, value]) => (isRecordable(value) ? [[name, value]] : [])));
}

function isRecordable(value: unknown): value is string | readonly string[] {
  return isShort(value) || (Array.isArray(value) && value.length <= maxItems && value.every(isShort));
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}

function decoded(value: string | undefined): string | undefined {
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
