/** Reads operations from docs/openapi.json, whose members `x-...` contain what the client and the command need besides. */
import type {
  JsonSchema,
  ManifestField,
  ManifestOperation,
  OperationExample,
  OperationReference,
} from './manifest-types.ts';
import type { Method } from './operation.ts';

/** The member `x-command` of an operation. Flags are absent if they are false. */
export interface CommandMembers
  extends Pick<ManifestOperation, 'auth' | 'statuses' | 'examples' | 'creates' | 'customCommand' | 'clientLogin'> {
  /** The name of the command. */
  readonly name?: string | undefined;
  readonly softErrors?: true;
  readonly bodyIgnored?: true;
  readonly response: Pick<ManifestOperation['response'], 'status' | 'header'> & {
    readonly page?: true;
    readonly secret?: true;
    readonly entity?: true;
  };
}

interface Media {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, Media>>;

interface Parameter extends Media {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-roles': string;
  readonly 'x-command': CommandMembers;
  readonly 'x-effect': ManifestOperation['effect'];
  readonly 'x-errors': OperationReference['errors'];
}

/** The document; operations outside of the service prefix have no command. */
export interface OperationsDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The sentence about the roles of an operation, which ends its description in the document. */
export function describeRoles(roles: string): string {
  return `Roles: ${roles}.`;
}

/** Headers of conditional requests, which any operation that documents them has. */
export const conditionHeaders = { read: 'If-None-Match', write: 'If-Match' } as const;

const conditions: readonly string[] = Object.values(conditionHeaders);

/** Returns the operations of the service, in the order of their ids. */
export function readOperations({ paths, components }: OperationsDocument): ManifestOperation[] {
  const inline = (schema: JsonSchema) => inlineReferences(schema, components.schemas) as JsonSchema;
  return listOperations(paths).map(({ path, method, described }) => toOperation(path, method, described, inline));
}

/** Returns error codes and examples by operation id. */
export function readReference({ paths }: OperationsDocument): Record<string, OperationReference> {
  const entries = listOperations(paths).map(({ described }): [string, OperationReference] => [
    described.operationId,
    { errors: described['x-errors'], example: toExample(described) },
  ]);
  return Object.fromEntries(entries);
}

function listOperations(paths: OperationsDocument['paths']) {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      path,
      method: method.toUpperCase() as Method,
      described,
    })),
  );
  return all
    .filter(({ described }) => described['x-command'] !== undefined)
    .sort((one, other) => (one.described.operationId < other.described.operationId ? -1 : 1));
}

function toOperation(
  path: string,
  method: Method,
  described: DescribedOperation,
  inline: (schema: JsonSchema) => JsonSchema,
): ManifestOperation {
  const { 'x-roles': roles, 'x-command': command, parameters = [] } = described;
  const { name, auth, statuses, examples, creates, customCommand, clientLogin, softErrors = false } = command;
  const fields = (location: Parameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === location && !conditions.includes(parameter.name))
      .map((parameter) => toField(parameter, inline));
  const headers = fields('header');
  const body = described.requestBody?.content['application/json'];
  return {
    id: described.operationId,
    title: described.summary,
    description: described.description.slice(0, -describeRoles(roles).length).trimEnd(),
    method,
    path,
    auth,
    roles,
    statuses,
    softErrors,
    effect: described['x-effect'],
    idempotent: method !== 'POST' && method !== 'PATCH',
    ...(creates === undefined ? {} : { creates }),
    ...(name === undefined ? {} : { command: name }),
    ...(customCommand === undefined ? {} : { customCommand }),
    ...(clientLogin === undefined ? {} : { clientLogin }),
    examples,
    params: fields('path'),
    query: fields('query'),
    ...(headers.length > 0 ? { headers } : {}),
    ...(described.deprecated ? { deprecated: true } : {}),
    ...(body ? { body: inline(body.schema) } : {}),
    response: toResponse(described, inline),
  };
}

function toField(
  { name, required, description, schema }: Parameter,
  inline: (schema: JsonSchema) => JsonSchema,
): ManifestField {
  return { name, required, schema: inline(description === undefined ? schema : { description, ...schema }) };
}

function toResponse(
  { responses, 'x-command': command }: DescribedOperation,
  inline: (schema: JsonSchema) => JsonSchema,
): ManifestOperation['response'] {
  const { status, header, page = false, secret = false, entity = false } = command.response;
  const content = Object.values(responses[status]?.content ?? {}).at(-1);
  const plain = { status, page, secret, entity, ...(header ? { header } : {}) };
  // A 204 may document an error array with status 200, but has no body of its own.
  if (!content || status === 204) return plain;
  // With soft errors: the body, or an error array.
  const [own = content.schema] = content.schema.anyOf ?? [];
  return { ...plain, schema: inline(page ? (own.items ?? own) : own) };
}

/** Required parameters and headers, and the body. */
function toExample({ parameters = [], requestBody, 'x-command': command }: DescribedOperation): OperationExample {
  const required = (location: Parameter['in']) =>
    parameters.filter((parameter) => parameter.in === location && parameter.required);
  const assign = (found: readonly Parameter[]) =>
    Object.fromEntries(found.map(({ name, example }) => [name, String(example)]));
  const [content] = Object.values(requestBody?.content ?? {});
  return {
    params: assign([...required('path'), ...required('query')]),
    headers: assign(required('header')),
    ...(content?.example === undefined || command.bodyIgnored ? {} : { body: content.example }),
  };
}

/**
 * Replaces references by the components, which are not recursive. Removes examples, and gives the level of sensitive values
 * the name that it has in the schemas of declarations.
 */
function inlineReferences(value: unknown, components: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(value)) return value.map((item) => inlineReferences(item, components));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = withoutAcceptedNull(value as Record<string, unknown>);
  const referred = typeof $ref === 'string' ? components[$ref.split('/').at(-1) ?? ''] : {};
  const entries = Object.entries({ ...referred, ...rest }).filter(
    ([key, item]) => !(key === 'examples' && Array.isArray(item)) && key !== 'x-sensitive',
  );
  return Object.fromEntries(
    entries.map(([key, item]) => [key === 'x-sensitivity' ? 'sensitive' : key, inlineReferences(item, components)]),
  );
}

/** Of a property in the documents: null is accepted, and means absent. */
const nullKeyword = 'x-null';
const absent = 'absent';

type JsonObject = Readonly<Record<string, unknown>>;

const nullSchema = { type: 'null' };

/** Returns the JSON Schema of an optional property of a request body, which accepts null. */
export function acceptNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf, ...rest } = schema;
  const marked = { [nullKeyword]: absent };
  if (Array.isArray(anyOf))
    return anyOf.some((one: JsonObject) => one.type === 'null')
      ? schema
      : { ...schema, ...marked, anyOf: [...anyOf, nullSchema] };
  if (typeof schema.$ref === 'string') return { ...marked, anyOf: [schema, nullSchema] };
  if (typeof type !== 'string') return schema;
  return { type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}), ...rest, ...marked };
}

/** The JSON Schema without the null that `acceptNull` has added: commands leave out what is absent. */
function withoutAcceptedNull(schema: JsonObject): JsonObject {
  const { [nullKeyword]: meaning, ...rest } = schema;
  if (meaning !== absent) return schema;
  const { type, enum: values, anyOf, ...others } = rest;
  if (Array.isArray(anyOf)) {
    const [first, ...more] = anyOf.filter((one: JsonObject) => one.type !== 'null') as JsonObject[];
    return more.length === 0 ? { ...first, ...others } : { ...others, anyOf: [first, ...more] };
  }
  const [only] = Array.isArray(type) ? type : [type];
  return {
    type: only,
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
    ...others,
  };
}
