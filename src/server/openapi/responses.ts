/** What an operation answers, for the API document: its success, and each failure with the codes that lead to it. */
import * as z from 'zod';
import { ErrorBody } from '../../contract/error-body.ts';
import { type ErrorCode, errorTable, implicitStatuses } from '../../contract/errors.ts';
import type { Operation, ResponseDeclaration } from '../../contract/operation.ts';
import { listOperationErrors } from '../../contract/operation-errors.ts';
import { toOAuthError } from '../http/oauth-errors.ts';
import { exampleValues, listExampleValues } from './example-values.ts';
import { buildExample } from './examples.ts';
import type { Json, SchemaCollection } from './schemas.ts';

type AnyOperation = Operation<never>;

const statusDescriptions: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  204: 'Done; there is no body.',
  206: 'A part of the list; Link names the next page.',
  400: 'The call can not be read.',
  401: 'No credentials, wrong ones, or a role is missing where 403 is not documented.',
  403: 'A role is missing.',
  404: 'What the path names does not exist.',
  412: 'A state that the call relies on does not hold.',
  422: 'A well-formed value that a rule refuses.',
  429: 'Too many attempts or calls.',
  500: 'The service failed; the message names the request id.',
  501: 'Not implemented.',
  503: 'Not available at the moment; nothing was changed.',
};

/** Headers that answers of this document carry, by their component names. */
export const headerComponents: Json = {
  'X-Request-Id': {
    description: 'Names this call in the log; taken from the request where it sends one.',
    schema: { type: 'string' },
  },
  'Cache-Control': { description: 'no-store: the answer carries a token or a secret.', schema: { type: 'string' } },
  ETag: { description: 'Names this state of the entity; If-Match takes it.', schema: { type: 'string' } },
  Link: { description: '<...>; rel="next": the next page of the list (RFC 8288).', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'The ways in that are open (RFC 9110).', schema: { type: 'string' } },
};

const OAuthFailure = z
  .strictObject({ error: z.string(), error_description: z.string() })
  .meta({ id: 'OAuthError', description: 'The body of a failure of the OAuth token endpoint (RFC 6749, 5.2).' });

const Errors = ErrorBody.meta({ id: 'Errors', description: 'The body of every failure.' });

/** One failure for each code; responses refer to those they may carry. */
export const exampleComponents: Json = Object.fromEntries(
  Object.entries(errorTable).map(([code, { message }]) => [code, { value: [{ code, message }] }]),
);

function buildHeaders(...names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Responses by status, and `default` for what HTTP itself may bring about. */
export function buildResponses(operation: AnyOperation, schemas: SchemaCollection): Json {
  const codes = groupCodesByStatus(operation);
  const responses = new Map<number, Json>();
  for (const status of new Set([...operation.statuses, ...codes.keys()])) {
    if (status >= 400)
      responses.set(status, buildFailure(status, codes.get(status) ?? [], schemas, operation.errorFormat === 'oauth'));
  }
  if (operation.softErrors) responses.set(200, buildSoftFailure(codes, schemas));
  for (const [status, success] of buildSuccesses(operation, schemas)) {
    responses.set(status, addSoftFailure(success, responses.get(status)));
  }
  const sorted = [...responses].sort(([a], [b]) => a - b).map(([status, response]) => [String(status), response]);
  return { ...Object.fromEntries(sorted), default: { $ref: '#/components/responses/Http' } };
}

function groupCodesByStatus(operation: AnyOperation): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const [code, status] of listOperationErrors(operation))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  if (operation.statuses.includes(503))
    byStatus.set(503, [...new Set([...(byStatus.get(503) ?? []), 'STORE_UNAVAILABLE' as const])]);
  return byStatus;
}

function buildSuccesses(operation: AnyOperation, schemas: SchemaCollection): [number, Json][] {
  const { response } = operation;
  if ('page' in response) {
    const items = schemas.schemaOf(response.page, 'output');
    const example = [buildResponseExample(operation, items, schemas)];
    const content = jsonContent({ schema: { type: 'array', items }, example });
    return [
      [200, { description: 'The list, complete to its end.', headers: buildHeaders(), content }],
      [206, { description: statusDescriptions[206], headers: buildHeaders('Link'), content }],
    ];
  }
  const { status } = response;
  const description = statusDescriptions[status];
  if (!('body' in response)) return [[status, { description, headers: buildEmptyHeaders(response) }]];
  const named = buildHeaders(...(response.secret ? ['Cache-Control'] : []), ...(response.entity ? ['ETag'] : []));
  return [[status, { description, headers: named, content: buildContent(operation, response, schemas) }]];
}

function buildResponseExample(
  { id, openapiExamples: samples }: AnyOperation,
  schema: Json,
  schemas: SchemaCollection,
): unknown {
  return samples?.response ?? buildExample(schema, 'answer', { values: listExampleValues(id), schemas });
}

type WithBody = Extract<ResponseDeclaration, { body: unknown }>;

/** An answer that is a text goes out as what it is, never as JSON. */
function buildContent(operation: AnyOperation, { body, alternatives = [] }: WithBody, schemas: SchemaCollection) {
  const schema = schemas.schemaOf(body, 'output');
  const example = buildResponseExample(operation, schema, schemas);
  const isText = schema.type === 'string';
  const texts = Object.fromEntries(
    alternatives.map((type) => [
      type,
      { schema: { type: 'string' }, example: isText ? example : (sampleTexts[type] ?? '') },
    ]),
  );
  return isText ? texts : { ...texts, ...jsonContent({ schema, example }) };
}

/** What an answer looks like in a type that is no JSON. */
const sampleTexts: Readonly<Record<string, string>> = {
  'application/x-pem-file':
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n',
};

/** An answer without a body may have its one value in a header. */
function buildEmptyHeaders({ header }: Extract<ResponseDeclaration, { status: 204 }>): Json {
  if (!header) return buildHeaders();
  const { name, description } = header;
  const schema = { type: 'string', examples: exampleValues[header.field] ?? [] };
  return { ...buildHeaders('Cache-Control'), [name]: { description, required: true, schema } };
}

function jsonContent(media: { schema: Json; example?: unknown; examples?: Json }): Json {
  return { 'application/json': media };
}

function buildFailure(status: number, codes: readonly ErrorCode[], schemas: SchemaCollection, asOAuth: boolean): Json {
  const extra = status === 401 ? ['WWW-Authenticate'] : status === 429 || status === 503 ? ['Retry-After'] : [];
  const examples = asOAuth ? buildOAuthExamples(codes) : buildExamples(codes);
  return {
    description: statusDescriptions[status] ?? 'Refused.',
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

/** The 200 with an error array: what a status that is not documented falls back to, and every refusal by a setting. */
function buildSoftFailure(codes: ReadonlyMap<number, readonly ErrorCode[]>, schemas: SchemaCollection): Json {
  const refusals = [400, 412, 422].flatMap((status) => codes.get(status) ?? []);
  const soft = refusals.length > 0 ? refusals : (codes.get(404) ?? []);
  const examples = buildExamples([...new Set([...(codes.get(200) ?? []), ...soft])]);
  return {
    description:
      'An error array: the call was refused. With the setting soft-errors also for what is else 400, 412 or 422.',
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

/** The answer that any call may get besides those of its operation. `guardCodes`: of what stands before them all. */
export function buildHttpFailure(schemas: SchemaCollection, guardCodes: readonly ErrorCode[]): Json {
  const statuses: readonly number[] = implicitStatuses.filter((status) => status !== 500);
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter(
    (code) => isHttpError(code, statuses) || guardCodes.includes(code),
  );
  const guarded = guardCodes.length > 0 ? ', and 403 for calls from elsewhere' : '';
  return {
    description: `What HTTP itself or the load may bring about on any call: ${statuses.join(', ')}, and 400 or 404 for what names no operation${guarded}.`,
    headers: buildHeaders('Retry-After'),
    content: jsonContent({ schema: schemas.schemaOf(Errors, 'output'), examples: buildExamples(codes) }),
  };
}

/** Codes for calls that reach none of the operations. */
const unroutedErrors: readonly ErrorCode[] = ['REQUEST_MALFORMED', 'HOST_MISSING', 'PATH_UNKNOWN'];

function isHttpError(code: ErrorCode, statuses: readonly number[]): boolean {
  return statuses.includes(errorTable[code].status) || unroutedErrors.includes(code);
}
