/** The OpenAPI 3.1 document of the operations. Served at /openapi.json, and generated into docs/. */

import { describeRoles } from '../../contract/openapi-operations.ts';
import type { Operation } from '../../contract/operation.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { formatRoles } from '../../contract/roles.ts';
import { buildCommandMembers } from './command-members.ts';
import type { Json } from './json.ts';
import { buildParameters, buildRequestBody, buildSecurity, securitySchemes } from './requests.ts';
import { buildHttpFailure, buildResponses, exampleComponents, headerComponents } from './responses.ts';
import { SchemaCollection } from './schemas.ts';
import { type ApiTag, oauthTags, serviceTags } from './tags.ts';

type AnyOperation = Operation<never>;

export interface DocumentOptions {
  /** Version of the package. */
  readonly version: string;
  /** Base URL of the service, without the prefix of the interface. */
  readonly baseUrl: string;
  /** Adds the members of the command, which the document in docs/ has and servers leave out. */
  readonly withCommands?: boolean;
}

/** Options of a document for a set of operations. */
export interface DocumentParts extends DocumentOptions {
  readonly title: string;
  readonly description: string;
  readonly prefix: string;
  /** In display order. */
  readonly tags: readonly ApiTag[];
  tagOf(operation: AnyOperation): string;
  securityOf(operation: AnyOperation): Json[];
  /** The sentence about the roles of an operation. */
  rolesText(roles: string): string;
  /** Error codes that any request may return, in addition to those of HTTP itself. */
  readonly guardCodes: Parameters<typeof buildHttpFailure>[1];
}

const description = `Identities, groups, roles and credentials.

Every error response is a non-empty array of \`{code, message}\`; codes are stable. Validation reports all errors, one item each.
Unknown query parameters and headers are ignored; unknown fields in a body are rejected.
A field of a body that is null counts as absent (\`x-null: absent\`), also an unknown one, except where null clears it.
Every response has X-Request-Id. Lists return 200 if they are complete, and 206 with a Link header if there are more pages.
\`x-roles\` is the role expression that a caller must satisfy; role names compare without the prefix ROLE_.
\`x-sensitive\` marks fields with credentials or one-time values: do not log them.
Operations that do not document 403 return 401 for a missing role.`;

/** Builds the document of these operations. Deterministic for the same operations and options. */
export function buildOpenApiDocument(operations: readonly AnyOperation[], options: DocumentOptions): Json {
  return buildDocument(operations, {
    ...options,
    title: 'IAM',
    description,
    prefix: servicePrefix,
    tags: [...serviceTags, ...oauthTags],
    tagOf: ({ id }) => id.split('.')[0] ?? id,
    securityOf: buildSecurity,
    rolesText: describeRoles,
    guardCodes: [],
  });
}

/** Builds the document of these operations, sorted by path and method. */
export function buildDocument(unsorted: readonly AnyOperation[], parts: DocumentParts): Json {
  const operations = sortByPath(unsorted);
  const { title, version, baseUrl, prefix } = parts;
  const schemas = new SchemaCollection(parts);
  const paths = buildPaths(operations, parts, schemas);
  const responses = { Http: buildHttpFailure(schemas, parts.guardCodes) };
  const text = JSON.stringify({ paths, responses });
  const used = new Set(operations.map(parts.tagOf));
  const schemesUsed = new Set(operations.flatMap((operation) => parts.securityOf(operation).flatMap(Object.keys)));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: parts.description,
      contact: { name: 'The maintainers of iam-standin' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${trimSlashes(baseUrl)}${prefix}` }],
    tags: parts.tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: schemas.components,
      responses,
      examples: pickReferenced('examples', exampleComponents, text),
      headers: pickReferenced('headers', headerComponents, text),
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => schemesUsed.has(name))),
    },
  };
}

function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

function pickReferenced(kind: string, components: Json, text: string): Json {
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Sorts operations by path, and those of one path by method. */
export function sortByPath<Route extends Pick<AnyOperation, 'path' | 'method'>>(operations: readonly Route[]): Route[] {
  return [...operations].sort((a, b) => {
    if (a.path !== b.path) return a.path < b.path ? -1 : 1;
    return methodOrder.indexOf(a.method) - methodOrder.indexOf(b.method);
  });
}

function buildPaths(operations: readonly AnyOperation[], parts: DocumentParts, schemas: SchemaCollection): Json {
  const templates = [...new Set(operations.map(({ path }) => path))];
  const methodsAt = (template: string) =>
    operations
      .filter(({ path }) => path === template)
      .map((operation) => [operation.method.toLowerCase(), buildOperation(operation, parts, schemas)]);
  return Object.fromEntries(templates.map((template) => [template, Object.fromEntries(methodsAt(template))]));
}

function buildOperation(operation: AnyOperation, parts: DocumentParts, schemas: SchemaCollection): Json {
  const { id, title } = operation;
  const roles = formatRoles(operation.roles);
  const body = buildRequestBody(operation, schemas);
  const parameters = buildParameters(operation, schemas);
  return {
    operationId: id,
    summary: title,
    description: `${operation.description}\n\n${parts.rolesText(roles)}`,
    tags: [parts.tagOf(operation)],
    ...(operation.mount === 'base' ? { servers: [{ url: trimSlashes(parts.baseUrl) }] } : {}),
    ...(operation.deprecated ? { deprecated: true } : {}),
    security: parts.securityOf(operation),
    'x-roles': roles,
    ...(parts.withCommands ? buildCommandMembers(operation) : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: buildResponses(operation, schemas, parts.guardCodes),
  };
}
