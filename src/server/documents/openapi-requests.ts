/** What an operation takes, for the API document: parameters, body, and the ways to present oneself. */
import type { Operation, RequestDeclaration } from '../../contract/operation.ts';
import { type Values, valuesFor } from './example-values.ts';
import { exampleOf } from './openapi-examples.ts';
import type { Json, SchemaCollection } from './openapi-schemas.ts';

type AnyOperation = Operation<never>;

export const securitySchemes: Json = {
  basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key; it acts as its client.' },
  clientId: { type: 'apiKey', in: 'query', name: 'clientId', description: 'Names a client without proving it.' },
  user: { type: 'http', scheme: 'basic', description: 'Name and password of a user, where a user logs in.' },
};

/** Parameters in path, query and headers, and the condition that writes to an entity take. */
export function parametersOf(operation: AnyOperation, schemas: SchemaCollection): Json[] {
  const { params = {}, query = {}, headers = {} } = operation.request;
  const places = [
    { place: 'path', shape: params },
    { place: 'query', shape: query },
    { place: 'header', shape: headers },
  ];
  // What is called by its id in a body goes by its name as well in a path.
  const values = { ...valuesFor(operation.id), groupId: ['ops'] };
  const declared = places.flatMap(({ place, shape }) =>
    Object.entries(shape).map(([name, schema]) => parameterOf({ name, place, schema, values }, schemas)),
  );
  return [...declared, ...conditionsOf(operation)];
}

interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly schema: NonNullable<RequestDeclaration['query']>[string];
  readonly values: Values;
}

/**
 * An example of what is required fills the form of a page that tries calls; one of what may be left out stands in its
 * schema, where it fills nothing.
 */
function parameterOf({ name, place, schema, values }: Parameter, schemas: SchemaCollection): Json {
  const { description: words, ...rest } = schemas.schemaOf(schema, 'input');
  const required = place === 'path' || !schema.safeParse(undefined).success;
  const example = exampleOf(rest, name, { values, schemas });
  return {
    name,
    in: place,
    required,
    ...(words === undefined ? {} : { description: words }),
    ...(required ? { schema: rest, example } : { schema: { ...rest, examples: [example] } }),
  };
}

/** The headers that make a call depend on the state that was read. */
function conditionsOf({ errors }: AnyOperation): Json[] {
  if (!errors.includes('CHANGED_MEANWHILE')) return [];
  const description = 'ETag of the state that was read; the call is refused where it was changed since.';
  const schema = { type: 'string', examples: ['"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'] };
  return [{ name: 'If-Match', in: 'header', required: false, description, schema }];
}

/** @returns nothing where the operation takes no body. */
export function bodyOf({ id, request, samples }: AnyOperation, schemas: SchemaCollection): Json | undefined {
  if (!request.body) return undefined;
  const schema = schemas.schemaOf(request.body, 'input');
  const sources = { values: valuesFor(id), schemas };
  const example = samples?.body ?? exampleOf(schema, 'body', sources);
  const type = request.form ? 'application/x-www-form-urlencoded' : 'application/json';
  return { required: !request.body.safeParse({}).success, content: { [type]: { schema, example } } };
}

/** An operation that is open to all and yet refuses credentials is one that logs a client in. */
export function securityOf({ auth, errors, request }: AnyOperation): Json[] {
  if (request.userPair) return [{ user: [], clientId: [] }, { bearer: [] }, { apiKey: [] }];
  const ways =
    auth === 'none' ? (errors.includes('CREDENTIALS_INVALID') ? ['basic'] : []) : ['bearer', 'basic', 'apiKey'];
  const named = [...ways, ...(auth === 'client-id' ? ['clientId'] : [])].map((way) => ({ [way]: [] }));
  return request.clientInBody ? [...named, {}] : named;
}
