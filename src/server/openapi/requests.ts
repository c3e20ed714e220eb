/** What an operation takes, for the API document: parameters, body, and the ways to present oneself. */
import type { Operation, RequestDeclaration } from '../../contract/operation.ts';
import { type ExampleValues, listExampleValues } from './example-values.ts';
import { buildExample } from './examples.ts';
import type { Json, SchemaCollection } from './schemas.ts';

type AnyOperation = Operation<never>;

export const securitySchemes: Json = {
  basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key; it acts as its client.' },
  clientId: { type: 'apiKey', in: 'query', name: 'clientId', description: 'Names a client without proving it.' },
  user: { type: 'http', scheme: 'basic', description: 'Name and password of a user, where a user logs in.' },
};

/** Parameters in path, query and headers, and the condition that writes to an entity take. */
export function buildParameters(operation: AnyOperation, schemas: SchemaCollection): Json[] {
  const { params = {}, query = {}, headers = {} } = operation.request;
  const places = [
    { place: 'path', shape: params },
    { place: 'query', shape: query },
    { place: 'header', shape: headers },
  ];
  // What is called by its id in a body goes by its name as well in a path.
  const values = { ...listExampleValues(operation.id), groupId: ['ops'] };
  const declared = places.flatMap(({ place, shape }) =>
    Object.entries(shape).map(([name, schema]) => buildParameter({ name, place, schema, values }, schemas)),
  );
  return [...declared, ...buildConditions(operation)];
}

interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly schema: NonNullable<RequestDeclaration['query']>[string];
  readonly values: ExampleValues;
}

/**
 * An example of what is required fills the form of a page that tries calls; one of what may be left out stands in its
 * schema, where it fills nothing.
 */
function buildParameter({ name, place, schema, values }: Parameter, schemas: SchemaCollection): Json {
  const { description: words, ...rest } = schemas.schemaOf(schema, 'input');
  const required = place === 'path' || !schema.safeParse(undefined).success;
  const example = buildExample(rest, name, { values, schemas });
  return {
    name,
    in: place,
    required,
    ...(words === undefined ? {} : { description: words }),
    ...(required ? { schema: rest, example } : { schema: { ...rest, examples: [example] } }),
  };
}

/** The headers that make a call depend on the state that was read. */
function buildConditions({ errors }: AnyOperation): Json[] {
  if (!errors.includes('CHANGED_MEANWHILE')) return [];
  const description = 'ETag of the state that was read; the call is refused where it was changed since.';
  const schema = { type: 'string', examples: ['"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'] };
  return [{ name: 'If-Match', in: 'header', required: false, description, schema }];
}

/** @returns nothing where the operation takes no body. */
export function buildRequestBody(
  { id, request, openapiExamples: samples }: AnyOperation,
  schemas: SchemaCollection,
): Json | undefined {
  if (!request.body) return undefined;
  const schema = schemas.schemaOf(request.body, 'input');
  const sources = { values: listExampleValues(id), schemas };
  const example = samples?.body ?? buildExample(schema, 'body', sources);
  const type = request.form ? 'application/x-www-form-urlencoded' : 'application/json';
  return { required: !request.body.safeParse({}).success, content: { [type]: { schema, example } } };
}

/** An operation that is open to all and yet refuses credentials is one that logs a client in. */
export function buildSecurity({ auth, errors, request }: AnyOperation): Json[] {
  if (request.userBasicAuth) return [{ user: [], clientId: [] }, { bearer: [] }, { apiKey: [] }];
  const ways =
    auth === 'none' ? (errors.includes('CREDENTIALS_INVALID') ? ['basic'] : []) : ['bearer', 'basic', 'apiKey'];
  const named = [...ways, ...(auth === 'client-id' ? ['clientId'] : [])].map((way) => ({ [way]: [] }));
  return request.clientInBody ? [...named, {}] : named;
}
