/** Reads the declared targets of a request: the values that identify what an event is about. */
import type { AuditTargets, TargetReader } from '../../contract/audit.ts';
import type { Operation } from '../../contract/operation.ts';
import { createPathParamsReader } from '../http/paths.ts';

/** Declared target fields by part of the request; all are optional. */
interface TargetFields {
  readonly path?: readonly string[];
  readonly body?: readonly string[];
  readonly response?: readonly string[];
}

const maxLength = 200;
const maxItems = 50;

export function createTargetReader(operation: Operation<never>): TargetReader {
  const { path = [], body = [], response = [] }: TargetFields = operation.audit.targets;
  const readParameters = createPathParamsReader(operation.path);
  return (source) => {
    const targets = {
      ...(path.length === 0 ? {} : readFromPath(path, readParameters(source.path))),
      ...readFromObject(body, source.body),
      // Such as ids that were assigned.
      ...readFromObject(response, source.result),
    };
    return Object.keys(targets).length === 0 ? undefined : targets;
  };
}

/** Whether the result of the handler is needed once the response is sent. */
export function hasTargetsInResult({ audit }: Operation<never>): boolean {
  const { response = [] }: TargetFields = audit.targets;
  return response.length > 0;
}

/** Omits a segment that cannot be decoded. */
function readFromPath(fields: readonly string[], parameters: ReadonlyMap<string, string>): AuditTargets {
  return pick(fields, (name) => decoded(parameters.get(name)));
}

function readFromObject(fields: readonly string[], value: unknown): AuditTargets {
  if (fields.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return pick(fields, (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined));
}

function pick(fields: readonly string[], read: (name: string) => unknown): AuditTargets {
  const picked: Record<string, string | readonly string[]> = {};
  for (const name of fields) {
    const value = read(name);
    if (isRecordable(value)) picked[name] = value;
  }
  return picked;
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
