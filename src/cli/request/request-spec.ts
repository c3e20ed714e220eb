/** Describes how arguments and options map to the request of an operation. */
import type { Reference } from '../../contract/entities.ts';
import type { JsonSchema, ManifestField, ManifestOperation } from '../../contract/manifest-types.ts';
import { createField, type Field, listFields, toKebabCase } from './field-options.ts';

export interface RequestSpec {
  readonly operation: ManifestOperation;
  /** The path parameter of the entity that the request reads or deletes: its command accepts several. */
  readonly target: ManifestField | undefined;
  readonly query: readonly Field[];
  readonly body: readonly Field[];
  /** The body field that is also accepted as the last argument: `groups add-role ops DEPLOY`. */
  readonly last: Field | undefined;
  /** The command accepts several of the last argument, and sends a request for each. */
  readonly repeatsLast: boolean;
  /** For a list body: the single field of its items. Values are further arguments: `groups users add ops u1 u2`. */
  readonly members: Field | undefined;
  /** For a body whose only field is a list of objects: options describe one item, a file any number. */
  readonly entries: Field | undefined;
}

export function buildRequestSpec(operation: ManifestOperation): RequestSpec {
  const declared = listFields(operation.body);
  const entries = findEntriesField(declared);
  const body = entries ? listFields(entries.schema.items, [], false) : declared;
  const visible = operation.query.filter(
    ({ name }) => !(operation.response.page && (name === 'limit' || name === 'after')),
  );
  const query = visible.map(({ name, schema, required }) => createField([name], schema, required));
  const last = findLastArgument(operation, declared);
  return {
    operation,
    target: findTarget(operation),
    query,
    body,
    last,
    repeatsLast: last !== undefined && operation.creates === undefined,
    members: findMembersField(operation.body),
    entries,
  };
}

/** The last parameter, if the path ends in it and the request reads or deletes one entity. */
function findTarget({ method, path, params, body, response }: ManifestOperation): ManifestField | undefined {
  const last = params.at(-1);
  if (!last || !path.endsWith(`{${last.name}}`) || body || response.page || response.secret) return undefined;
  const readsOne = method === 'GET' && response.schema?.type === 'object';
  return method === 'DELETE' || readsOne ? last : undefined;
}

/** The only field of a body, or the user of a request without path parameters. */
function findLastArgument({ params }: ManifestOperation, body: readonly Field[]): Field | undefined {
  const isUser = ({ schema }: Field) => schema['x-reference']?.entity === 'user';
  const about = params.length === 0 ? body.find(isUser) : undefined;
  const found = body.length === 1 ? body[0] : about;
  return found?.required && found.schema.type === 'string' && !found.secret ? found : undefined;
}

function findEntriesField(fields: readonly Field[]): Field | undefined {
  const [only] = fields;
  const isList = Object.keys(only?.schema.items?.properties ?? {}).length > 1;
  return fields.length === 1 && isList ? only : undefined;
}

function findMembersField(body: JsonSchema | undefined): Field | undefined {
  if (body?.type !== 'array') return undefined;
  const fields = listFields(body.items);
  return fields.length === 1 ? fields[0] : undefined;
}

/** The argument name of a parameter: declared by its schema, or its own name. */
export function formatArgumentName({ name, schema }: ManifestField): string {
  return schema['x-argument'] ?? toKebabCase(name);
}

/** A value that refers to an entity, and its place in the request. */
export interface ReferenceValue {
  readonly reference: Reference;
  readonly value: string;
  /** Its path as errors of the server name it: `businesses[0].businessId`. */
  readonly field: string;
  replace(id: string): void;
}

/** The references in a request of an operation or of a route of the control plane. */
export function listReferences(
  operation: Pick<ManifestOperation, 'params' | 'query' | 'body'>,
  { params, query, body }: Readonly<Record<'params' | 'query', object> & { body: unknown }>,
): readonly ReferenceValue[] {
  const values: ReferenceValue[] = [];
  for (const { name, schema } of operation.params) collectReferences(schema, params, name, name, values);
  for (const { name, schema } of operation.query) collectReferences(schema, query, name, name, values);
  if (operation.body) collectReferences(operation.body, { body }, 'body', '', values);
  return values;
}

/** Collects the references of a property, with those in lists and objects below it. */
function collectReferences(
  schema: JsonSchema,
  parent: object,
  name: string | number,
  path: string,
  found: ReferenceValue[],
): void {
  const holder = parent as Record<string | number, unknown>;
  const value = holder[name];
  const reference = schema['x-reference'];
  if (reference && typeof value === 'string')
    found.push({ reference, value, field: path, replace: (id) => Object.assign(holder, { [name]: id }) });
  else if (Array.isArray(value) && schema.items)
    for (const at of value.keys()) collectReferences(schema.items, value, at, `${path}[${at}]`, found);
  else if (typeof value === 'object' && value !== null)
    for (const [field, property] of Object.entries(schema.properties ?? {}))
      collectReferences(property, value, field, path === '' ? field : `${path}.${field}`, found);
  if (!reference) for (const other of schema.anyOf ?? []) collectReferences(other, parent, name, path, found);
}
