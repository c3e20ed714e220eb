/** Reads the declared targets of a request: the values that identify what an event is about. */
import type * as z from 'zod';
import type { AuditTargets, TargetReader } from '../../contract/audit.ts';
import { type AuditedEntity, type AuditObject, auditedEntities } from '../../contract/audit.ts';
import { type EntityDeclaration, entities, type FieldExtensions } from '../../contract/entities.ts';
import type { Operation } from '../../contract/operation.ts';
import { createPathParamsReader } from '../http/paths.ts';

/** Declared target fields by part of the request; all are optional. */
interface TargetFields {
  readonly path?: readonly string[];
  readonly query?: readonly string[];
  readonly body?: readonly string[];
  readonly response?: readonly string[];
}

const maxLength = 200;
const maxItems = 50;

export function createTargetReader(operation: Operation<never>): TargetReader {
  const { path = [], query = [], body = [], response = [] }: TargetFields = operation.audit.targets;
  const readParameters = createPathParamsReader(operation.path);
  return {
    read(source) {
      const targets = {
        ...(path.length === 0 ? {} : readFromPath(path, readParameters(source.path))),
        ...(query.length === 0 ? {} : readFromObject(query, Object.fromEntries(new URLSearchParams(source.query)))),
        ...readFromObject(body, source.body),
        // Such as ids that were assigned.
        ...readFromObject(response, source.result),
      };
      return Object.keys(targets).length === 0 ? undefined : targets;
    },
    toObjects: (targets) => findObjects(operation, targets),
  };
}

function findObjects({ request, response }: Operation<never>, targets: AuditTargets): readonly AuditObject[] {
  const created = 'body' in response ? readShape(response.body) : {};
  const shape = { ...created, ...readShape(request.body), ...request.query, ...request.params };
  return Object.entries(targets).flatMap(([field, value]) => {
    const entity = findEntity(field, shape[field]);
    return entity === undefined ? [] : [value].flat().map((id) => ({ entity, id }));
  });
}

function readShape(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return (schema as z.ZodObject<Record<string, z.ZodType>> | undefined)?.shape ?? {};
}

/** The entity that a field refers to by its schema, or else the one whose id the response names so. */
function findEntity(field: string, schema: z.ZodType | undefined): AuditedEntity | undefined {
  const { 'x-reference': reference, 'x-defines': definition } = (schema?.meta() ?? {}) as FieldExtensions;
  const entity =
    (reference ?? definition)?.entity ??
    Object.entries<EntityDeclaration>(entities).find(
      ([, { properties }]) => properties.id === field && field !== 'id',
    )?.[0];
  return auditedEntities.find((known) => known === entity);
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
