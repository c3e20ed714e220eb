/** The API document (OpenAPI 3.1), from the declarations of the operations. Served at /openapi.json, kept in docs/. */
import type { Operation, RequestDeclaration } from '../../contract/operation.ts';
import { servicePrefix } from '../../contract/prefix.ts';
import { describeRoles } from '../../contract/roles.ts';
import { exampleComponents, headerComponents, httpFailure, responsesOf } from './openapi-responses.ts';
import { type Json, SchemaCollection } from './openapi-schemas.ts';

type AnyOperation = Operation<never>;

export interface DocumentOptions {
  /** Version of the package. */
  readonly version: string;
  /** Where callers reach the service, without the prefix of the interface. */
  readonly baseUrl: string;
}

const description = `Identities, groups, roles and credentials.

Every failure is a non-empty array of \`{code, message}\`; codes are stable. Validation lists every fault, one item each.
Unknown query parameters and headers are ignored, unknown fields of a body are refused.
Every answer carries X-Request-Id. Lists answer 200 where they are complete and 206 with a Link header where more follows.
\`x-roles\` is the role expression that a caller must satisfy; role names compare without the prefix ROLE_.
Where an operation documents no 403, a missing role is 401.`;

const securitySchemes: Json = {
  basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key; it acts as its client.' },
  clientId: { type: 'apiKey', in: 'query', name: 'clientId', description: 'Names a client without proving it.' },
};

/** The document of these operations. The same operations and options give the same text. */
export function openApiDocument(operations: readonly AnyOperation[], options: DocumentOptions): Json {
  const schemas = new SchemaCollection();
  const paths = pathsOf(operations, schemas);
  const http = httpFailure(schemas);
  return {
    openapi: '3.1.0',
    info: { title: 'IAM', version: options.version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: `${options.baseUrl.replace(/\/+$/, '')}${servicePrefix}` }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.components,
      responses: { Http: http },
      examples: exampleComponents,
      headers: headerComponents,
      securitySchemes,
    },
  };
}

function tagOf({ id }: AnyOperation): string {
  return id.split('.')[0] ?? id;
}

function pathsOf(operations: readonly AnyOperation[], schemas: SchemaCollection): Json {
  const paths = new Map<string, Json>();
  for (const operation of operations) {
    const method = operation.method.toLowerCase();
    paths.set(operation.path, { ...paths.get(operation.path), [method]: operationObject(operation, schemas) });
  }
  return Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function operationObject(operation: AnyOperation, schemas: SchemaCollection): Json {
  const { id, title, request } = operation;
  const roles = describeRoles(operation.roles);
  const parameters = [...parametersOf(request, schemas), ...conditionsOf(operation)];
  return {
    operationId: id,
    summary: title,
    description: `${operation.description}\n\nRoles: ${roles}.`,
    tags: [tagOf(operation)],
    ...(operation.deprecated ? { deprecated: true } : {}),
    security: securityOf(operation),
    'x-roles': roles,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request.body
      ? {
          requestBody: {
            required: !request.body.safeParse({}).success,
            content: { 'application/json': { schema: schemas.schemaOf(request.body, 'input') } },
          },
        }
      : {}),
    responses: responsesOf(operation, schemas),
  };
}

function parametersOf(
  { params = {}, query = {}, headers = {} }: RequestDeclaration,
  schemas: SchemaCollection,
): Json[] {
  const places = [
    { place: 'path', shape: params },
    { place: 'query', shape: query },
    { place: 'header', shape: headers },
  ];
  return places.flatMap(({ place, shape }) =>
    Object.entries(shape).map(([name, schema]) => {
      const { description: words, ...rest } = schemas.schemaOf(schema, 'input');
      const required = place === 'path' || !schema.safeParse(undefined).success;
      return { name, in: place, required, ...(words === undefined ? {} : { description: words }), schema: rest };
    }),
  );
}

/** The headers that make a call depend on the state that was read. */
function conditionsOf({ errors }: AnyOperation): Json[] {
  if (!errors.includes('CHANGED_MEANWHILE')) return [];
  const words = 'ETag of the state that was read; the call is refused where it was changed since.';
  return [{ name: 'If-Match', in: 'header', required: false, description: words, schema: { type: 'string' } }];
}

/** An operation that is open to all and yet refuses credentials is one that logs a client in. */
function securityOf({ auth, errors }: AnyOperation): Json[] {
  const ways =
    auth === 'none' ? (errors.includes('CREDENTIALS_INVALID') ? ['basic'] : []) : ['bearer', 'basic', 'apiKey'];
  return [...ways, ...(auth === 'client-id' ? ['clientId'] : [])].map((way) => ({ [way]: [] }));
}
