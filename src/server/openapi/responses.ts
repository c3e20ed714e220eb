/** Responses in the API document: the success, and each error status with its error codes. */
import * as z from 'zod';
import { ErrorBody } from '../../contract/error-body.ts';
import { errorTable } from '../../contract/error-codes.ts';
import { type ErrorCode, implicitStatuses } from '../../contract/errors.ts';
import { toOAuthError } from '../../contract/oauth-errors.ts';
import type { Operation, ResponseDeclaration } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import type { Json } from './json.ts';
import { isConditionalRead } from './requests.ts';
import type { SchemaCollection } from './schemas.ts';

type AnyOperation = Operation<never>;

const statusDescriptions: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, without a body.',
  206: 'A page of the list; the Link header contains the next page.',
  303: 'The browser is sent on; after a success or an error of the request to the redirect URI.',
  304: 'The representation with the ETag in If-None-Match is current.',
  400: 'The request is malformed.',
  401: 'Credentials are missing or invalid, or a role is missing if 403 is not documented.',
  403: 'A role is missing.',
  404: 'The resource in the path does not exist.',
  412: 'A precondition is not satisfied.',
  413: 'The body is too long.',
  415: 'The content type of the body is not supported.',
  422: 'A value is well-formed but not allowed.',
  429: 'Too many attempts or requests.',
  500: 'Internal error; the message contains the request id.',
  501: 'Not implemented.',
  503: 'Temporarily unavailable; nothing was changed.',
};

/** Response headers, by component name. */
export const headerComponents: Json = {
  'X-Request-Id': {
    description: 'Id of the request in the logs of the server, which also record the X-Request-Id of the caller.',
    schema: { type: 'string' },
  },
  'Cache-Control': { description: 'no-store: the response contains a token or a secret.', schema: { type: 'string' } },
  ETag: { description: 'Version of the entity, for If-Match.', schema: { type: 'string' } },
  Location: { description: 'Where the browser is sent.', schema: { type: 'string' } },
  Link: { description: '<...>; rel="next": the next page of the list (RFC 8288).', schema: { type: 'string' } },
  'X-Total-Count': {
    description: 'The number of entries on all pages, if the query parameter count is true.',
    schema: { type: 'integer' },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'Accepted authentication schemes (RFC 9110).', schema: { type: 'string' } },
};

const OAuthFailure = z.strictObject({ error: z.string(), error_description: z.string() }).meta({
  id: 'OAuthError',
  description: 'The error body of the OAuth endpoints (RFC 6749, 5.2).',
  examples: [{ error: 'invalid_client', error_description: 'The client secret is wrong.' }],
});

const Errors = ErrorBody.meta({ id: 'Errors', description: 'The body of every error response.' });

/** One example per error code; responses refer to them. */
export const exampleComponents: Json = Object.fromEntries(
  Object.entries(errorTable).map(([code, { message }]) => [code, { value: [{ code, message }] }]),
);

function buildHeaders(...names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Builds the responses by status; `4XX` and `default` are the errors of HTTP itself. `guardCodes`: error codes of checks
 * before the operation.
 */
export function buildResponses(
  operation: AnyOperation,
  schemas: SchemaCollection,
  guardCodes: readonly ErrorCode[],
): Json {
  const codes = groupCodesByStatus(operation, guardCodes);
  const responses = new Map<number, Json>();
  for (const status of new Set([...operation.statuses, ...codes.keys()])) {
    if (status >= 400)
      responses.set(status, buildFailure(status, codes.get(status) ?? [], schemas, operation.errorFormat === 'oauth'));
  }
  if (operation.statuses.includes(303))
    responses.set(303, { description: statusDescriptions[303], headers: buildHeaders('Location') });
  if (operation.softErrors) responses.set(200, buildSoftFailure(codes, schemas));
  for (const [status, success] of buildSuccesses(operation, schemas)) {
    responses.set(status, addSoftFailure(success, responses.get(status)));
  }
  const sorted = [...responses].sort(([a], [b]) => a - b).map(([status, response]) => [String(status), response]);
  const http = { $ref: '#/components/responses/Http' };
  return { ...Object.fromEntries(sorted), '4XX': http, default: http };
}

/** Of any operation that writes. */
const storeErrors = ['STORE_BUSY', 'STORE_UNAVAILABLE'] as const;

/** The documented errors of the operation, those of guards whose status it documents, and those of reading a body. */
function groupCodesByStatus(operation: AnyOperation, guardCodes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  const guards = guardCodes.map((code) => [code, errorTable[code].status] as const);
  const documentedGuards = guards.filter(([, status]) => operation.statuses.includes(status));
  const bodyErrors = 'body' in operation.request ? ([['CONTENT_TYPE_UNSUPPORTED', 415]] as const) : [];
  for (const [code, status] of [...listOperationErrors(operation), ...documentedGuards, ...bodyErrors])
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  if (operation.statuses.includes(503)) byStatus.set(503, [...new Set([...(byStatus.get(503) ?? []), ...storeErrors])]);
  if (operation.errorFormat === 'oauth') addOAuthCodes(byStatus);
  return byStatus;
}

/** Errors that other operations document under `default`, where they have another format. */
function addOAuthCodes(byStatus: Map<number, ErrorCode[]>): void {
  for (const code of ['BODY_TOO_LARGE', ...storeErrors] as const) {
    const { status } = errorTable[code];
    byStatus.set(status, [...new Set([...(byStatus.get(status) ?? []), code])]);
  }
}

function buildSuccesses(operation: AnyOperation, schemas: SchemaCollection): [number, Json][] {
  const { response } = operation;
  if ('page' in response) {
    const { schema: items, createExample } = schemas.describe(
      response.page,
      'output',
      operation.openapiExamples?.response,
    );
    const example = [createExample()];
    const content = jsonContent({ schema: { type: 'array', items }, example });
    const counted = response.counted ? ['X-Total-Count'] : [];
    return [
      [200, { description: 'The complete list, or its last page.', headers: buildHeaders(...counted), content }],
      [206, { description: statusDescriptions[206], headers: buildHeaders('Link', ...counted), content }],
    ];
  }
  const { status } = response;
  const description = statusDescriptions[status];
  if (!('body' in response)) return [[status, { description, headers: buildEmptyHeaders(response) }]];
  const named = buildHeaders(...(response.secret ? ['Cache-Control'] : []), ...(response.entity ? ['ETag'] : []));
  const success: [number, Json] = [
    status,
    { description, headers: named, content: buildContent(operation, response, schemas) },
  ];
  if (!isConditionalRead(operation)) return [success];
  return [success, [304, { description: statusDescriptions[304], headers: buildHeaders('ETag') }]];
}

type WithBody = Extract<ResponseDeclaration, { body: unknown }>;

/** Text responses have their own content types, never JSON. */
function buildContent(operation: AnyOperation, { body, alternatives = [] }: WithBody, schemas: SchemaCollection) {
  const { schema, createExample } = schemas.describe(body, 'output', operation.openapiExamples?.response);
  const example = createExample();
  const isText = schema.type === 'string';
  const texts = Object.fromEntries(
    alternatives.map((type) => [
      type,
      { schema: { type: 'string' }, example: isText ? example : (sampleTexts[type] ?? '') },
    ]),
  );
  return isText ? texts : { ...texts, ...jsonContent({ schema, example }) };
}

/** Examples of content types other than JSON. */
const sampleTexts: Readonly<Record<string, string>> = {
  'application/x-pem-file':
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n',
};

/** A response without a body may return a value in a header. */
function buildEmptyHeaders({ header }: Extract<ResponseDeclaration, { status: 204 }>): Json {
  if (!header) return buildHeaders();
  const { name, description, example } = header;
  const schema = { type: 'string', examples: [example] };
  return { ...buildHeaders('Cache-Control'), [name]: { description, required: true, schema } };
}

function jsonContent(media: { schema: Json; example?: unknown; examples?: Json }): Json {
  return { 'application/json': media };
}

function buildFailure(status: number, codes: readonly ErrorCode[], schemas: SchemaCollection, asOAuth: boolean): Json {
  const extra = status === 401 ? ['WWW-Authenticate'] : status === 429 || status === 503 ? ['Retry-After'] : [];
  const examples = asOAuth ? buildOAuthExamples(codes) : buildExamples(codes);
  return {
    description: statusDescriptions[status] ?? 'Rejected.',
    headers: buildHeaders(...extra),
    content: jsonContent({
      schema: schemas.schemaOf(asOAuth ? OAuthFailure : Errors, 'output'),
      ...(codes.length > 0 ? { examples } : {}),
    }),
  };
}

function buildOAuthExamples(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [code, { value: toOAuthError([{ code, message: errorTable[code].message }]) }]),
  );
}

function buildExamples(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

/** The 200 with an error array: for errors whose status is not documented and, with soft-errors, for 400, 412 and 422. */
function buildSoftFailure(codes: ReadonlyMap<number, readonly ErrorCode[]>, schemas: SchemaCollection): Json {
  const rejections = [400, 412, 422].flatMap((status) => codes.get(status) ?? []);
  const soft = rejections.length > 0 ? rejections : (codes.get(404) ?? []);
  const examples = buildExamples([...new Set([...(codes.get(200) ?? []), ...soft])]);
  return {
    description:
      'An error array: the request was rejected. With the setting soft-errors also instead of 400, 412 and 422.',
    headers: buildHeaders(),
    content: jsonContent({ schema: schemas.schemaOf(Errors, 'output'), examples }),
  };
}

interface JsonContent {
  readonly 'application/json'?: { readonly schema: Json; readonly example?: unknown; readonly examples?: Json };
}

function addSoftFailure(success: Json, soft: Json | undefined): Json {
  const contents = [success, soft].map((response) => response?.content as JsonContent | undefined);
  const [own, other] = contents.map((content) => content?.['application/json']);
  if (!own || !other) return success;
  return {
    ...success,
    description: `${String(success.description)} Or an error array.`,
    content: jsonContent({
      schema: { anyOf: [own.schema, other.schema] },
      examples: { done: { summary: 'done', value: own.example }, ...other.examples },
    }),
  };
}

/** The response that any request may get besides those of its operation. `guardCodes`: error codes of checks before routing. */
export function buildHttpFailure(schemas: SchemaCollection, guardCodes: readonly ErrorCode[]): Json {
  const statuses: readonly number[] = implicitStatuses.filter((status) => status !== 500);
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter(
    (code) => isHttpError(code, statuses) || guardCodes.includes(code),
  );
  const guarded = guardCodes.length > 0 ? ', and 403 for requests from other sites or machines' : '';
  return {
    description: `Errors of HTTP itself or of overload, on any request: ${statuses.join(', ')}, and 400 or 404 for requests that match no operation${guarded}.`,
    headers: buildHeaders('Retry-After'),
    content: jsonContent({ schema: schemas.schemaOf(Errors, 'output'), examples: buildExamples(codes) }),
  };
}

/** Error codes of requests that match no operation. */
const unroutedErrors: readonly ErrorCode[] = ['REQUEST_MALFORMED', 'HOST_MISSING', 'PATH_UNKNOWN'];

function isHttpError(code: ErrorCode, statuses: readonly number[]): boolean {
  return statuses.includes(errorTable[code].status) || unroutedErrors.includes(code);
}
