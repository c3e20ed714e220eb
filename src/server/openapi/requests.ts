/** Requests in the API document: parameters, body and security. */
import { conditionHeaders } from '../../contract/openapi-operations.ts';
import type { Operation, RequestDeclaration } from '../../contract/operation.ts';
import type { Json } from './json.ts';
import type { SchemaCollection } from './schemas.ts';

type AnyOperation = Operation<never>;

export const securitySchemes: Json = {
  basic: { type: 'http', scheme: 'basic', description: 'Client id and client secret.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'An API key; it acts as its client.' },
  clientId: {
    type: 'apiKey',
    in: 'query',
    name: 'clientId',
    description: 'Identifies a client without authenticating it.',
  },
  user: { type: 'http', scheme: 'basic', description: 'Name and password of a user, for user logins.' },
};

/** Builds the parameters in path, query and headers, and the conditions of reads and writes. */
export function buildParameters(operation: AnyOperation, schemas: SchemaCollection): Json[] {
  const { params = {}, query = {}, headers = {} } = operation.request;
  const locations = [
    { location: 'path', shape: params },
    { location: 'query', shape: query },
    { location: 'header', shape: headers },
  ];
  const lenient = !operation.statuses.includes(400);
  const declared = locations.flatMap(({ location, shape }) =>
    Object.entries(shape).map(([name, schema]) =>
      buildParameter({ name, location, schema, lenient: location !== 'path' && lenient }, schemas),
    ),
  );
  return [...declared, ...buildConditions(operation)];
}

interface Parameter {
  readonly name: string;
  readonly location: string;
  readonly schema: NonNullable<RequestDeclaration['query']>[string];
  /** Values that are not valid are ignored, as the operation has no status to refuse them with. */
  readonly lenient: boolean;
}

/**
 * Required parameters have an `example`, which fills the form of the documentation page; optional ones have it in their
 * schema, where it fills nothing.
 */
function buildParameter({ name, location, schema, lenient }: Parameter, schemas: SchemaCollection): Json {
  const { schema: described, createExample } = schemas.describe(schema, 'input');
  const { description: meaning, ...rest } = described;
  const sentences = [meaning, ...(lenient ? ['A value that is not valid is ignored'] : [])].filter(
    (one) => one !== undefined,
  );
  const required = location === 'path' || !schema.safeParse(undefined).success;
  const example = createExample();
  return {
    name,
    in: location,
    required,
    ...(sentences.length === 0 ? {} : { description: sentences.join('. ') }),
    ...(required ? { schema: rest, example } : { schema: { ...rest, examples: [example] } }),
  };
}

/** The headers of conditional writes (RFC 9110, 13.1.1) and reads (13.1.2). */
function buildConditions(operation: AnyOperation): Json[] {
  if (isConditionalRead(operation))
    return [
      buildCondition(conditionHeaders.read, 'ETag of an earlier response; 304 if the entity has not changed since.'),
    ];
  if (!operation.errors.includes('CHANGED_MEANWHILE')) return [];
  const description = 'ETag of the entity as it was read; the request is rejected if the entity has changed since.';
  return [buildCondition(conditionHeaders.write, description)];
}

function buildCondition(name: string, description: string): Json {
  const schema = { type: 'string', examples: ['"2jmj7l5rSw0yVb_vlWAYkK_YBwk"'] };
  return { name, in: 'header', required: false, description, schema };
}

/** Whether the operation reads one entity, whose ETag a repeated read can send as If-None-Match. */
export function isConditionalRead({ method, response }: AnyOperation): boolean {
  return method === 'GET' && 'entity' in response && response.entity === true;
}

/** @returns undefined if the operation has no body. */
export function buildRequestBody(
  { request, openapiExamples }: AnyOperation,
  schemas: SchemaCollection,
): Json | undefined {
  if (!request.body) return undefined;
  const { schema, createExample } = schemas.describe(request.body, 'input', openapiExamples?.body);
  const types = [...(request.form ? ['application/x-www-form-urlencoded'] : []), 'application/json'];
  const content = Object.fromEntries(types.map((type) => [type, { schema, example: createExample() }]));
  return { required: !request.body.safeParse({}).success, content };
}

/** An operation with `auth: 'none'` that can return CREDENTIALS_INVALID is a client login and accepts Basic. */
export function buildSecurity({ auth, errors, request }: AnyOperation): Json[] {
  if (request.userBasicAuth) return [{ user: [], clientId: [] }, { bearer: [] }, { apiKey: [] }];
  const schemes =
    auth === 'none' ? (errors.includes('CREDENTIALS_INVALID') ? ['basic'] : []) : ['bearer', 'basic', 'apiKey'];
  const accepted = [...schemes, ...(auth === 'client-id' ? ['clientId'] : [])].map((scheme) => ({ [scheme]: [] }));
  return request.clientInBody ? [...accepted, {}] : accepted;
}
