/** Entries of the request log as the control plane returns them. */
import * as z from 'zod';
import { errorTable } from '../../contract/error-codes.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { exampleText, optionalInt, optionalText, singleLine } from '../../contract/schemas/primitives.ts';
import { isNamedBy, type Principal } from '../directory/principal.ts';
import { redactRequestHeaders, redactResponseHeaders } from '../observability/redact-headers.ts';
import { redactBody, redactQuery, redactResponse } from '../observability/redaction.ts';
import { formatRequestCurl } from '../observability/request-curl.ts';
import { bodyStates, type RequestLog, type RequestLogEntry } from '../observability/request-log.ts';
import { knownName } from './known-names.ts';
import { type RecordedId, RecordedOperationId } from './operation-ids.ts';

/** An error code: a misspelled one would match no request. */
export const KnownErrorCode = knownName(
  Object.keys(errorTable) as ErrorCode[],
  'an error code, such as GROUP_NOT_FOUND',
).meta({ id: 'ErrorCode', description: 'An error code, such as GROUP_NOT_FOUND.' });

export const RequestItem = z.strictObject({
  id: exampleText('4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11', 'X-Request-Id of the response'),
  at: exampleText('2026-03-01T12:00:00.000Z', 'When the response was sent'),
  caller: exampleText('billing-service', 'Subject that sent the request or logged in; a fixed name if unauthenticated'),
  callerName: optionalText('alice', 'Name of the user, or else the service account or application of the client'),
  clientId: optionalText('billing-service'),
  userId: optionalText('alice'),
  callerRequestId: optionalText('checkout-4711', 'X-Request-Id of the request'),
  traceId: optionalText('4bf92f3577b34da6a3ce929d0e0e4736', 'Trace id of the header traceparent (W3C Trace Context)'),
  operation: RecordedOperationId.optional().meta({
    description: 'Absent if the request matched no operation',
    examples: ['groups.get'],
  }),
  method: exampleText('GET'),
  path: exampleText('/security/iam/v1/groups/ops'),
  status: optionalInt(404, 'Absent if an injected fault closed the connection'),
  errors: z.array(KnownErrorCode).meta({ description: 'Error codes', examples: [['GROUP_NOT_FOUND']] }),
  milliseconds: z.number().meta({ examples: [3.2] }),
  byConsole: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the web console sent the request: with its header, and with a token that the server issued to it',
      examples: [true],
    }),
  fault: optionalText('f1 status=503', 'The injected fault'),
  flow: optionalText('0a1b2c3d4e5f6071', 'The login with a browser or of a device that the request is a step of'),
  testToken: optionalText(
    'aud, signature=broken',
    'How the access token differs from a normal one, if it is a test token',
  ),
});

const Headers = z.array(z.strictObject({ name: z.string(), value: z.string() }));

export const RequestDetail = RequestItem.extend({
  query: z.record(z.string(), z.string()).meta({ examples: [{ limit: '10' }] }),
  headers: Headers.meta({
    description: 'Request headers as received; without credentials and without values of unknown headers',
    examples: [[{ name: 'Accept', value: 'application/json' }]],
  }),
  responseHeaders: Headers.meta({
    description: 'Headers that the server set for the response, redacted in the same way',
    examples: [[{ name: 'Content-Type', value: 'application/json; charset=utf-8' }]],
  }),
  body: z.unknown().optional().describe('Request body without secrets; only declared fields'),
  bodyState: z.enum(bodyStates).meta({
    description:
      'Whether the request body is known: none was sent; read; not-read, as the request was rejected before; not-json, or in another form that the operation does not accept; too-long for the log (8 KiB)',
    examples: ['read'],
  }),
  responseBody: z.unknown().optional().describe('Response body without secrets'),
  curl: exampleText(
    'curl -H "Authorization: Bearer $IAM_TOKEN" http://127.0.0.1:8080/security/iam/v1/groups/ops',
    'The request as a command of a POSIX shell, with variables for credentials and for values that are not shown; without undeclared fields of the body',
  ),
  placeholders: z
    .array(
      z.strictObject({
        variable: exampleText('IAM_TOKEN'),
        in: z.enum(['header', 'query', 'body']).meta({ examples: ['header'] }),
        path: z.array(z.string()).meta({
          description:
            'Name of the header or parameter, or the fields that lead to the value; empty for the whole body',
          examples: [['Authorization']],
        }),
      }),
    )
    .describe('The variables of the command'),
});

export const RequestFilters = {
  operation: RecordedOperationId.optional().meta({
    description: 'Only requests to this operation, such as groups.create',
    examples: ['groups.get'],
  }),
  caller: singleLine(100, 'Only requests of this subject, client or user, by id or name')
    .optional()
    .meta({ examples: ['billing-service'] }),
  status: z
    .string()
    .regex(
      /^[1-5](\d\d|xx)(,[1-5](\d\d|xx))*$/,
      'must be a status such as 404, a class such as 4xx, or several such as 4xx,5xx',
    )
    .optional()
    .meta({
      description:
        'Only responses with this status, such as 404, or class, such as 4xx; several are separated by commas',
      examples: ['404'],
    }),
  flow: singleLine(100, 'Only requests of this login with a browser or of a device')
    .optional()
    .meta({ examples: ['0a1b2c3d4e5f6071'] }),
  error: KnownErrorCode.optional().meta({
    description: 'Only responses with this error code',
    examples: ['GROUP_NOT_FOUND'],
  }),
};

/** For lists: what the console reads is no request of the programs under test. */
export const ConsoleFilter = {
  console: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether to list reads of the web console too. They are left out of coverage and metrics; the log contains the last 200 of them',
      examples: [true],
    }),
};

export type RequestQuery = z.output<z.ZodObject<typeof RequestFilters>>;

/** Max number of requests to wait for. */
export const maxAwaited = 1000;

/** Returns the last `count` matching requests, newest first; undefined if there are fewer. */
export function findRequests(
  requestLog: RequestLog,
  { after, ...query }: RequestQuery & { readonly after?: string | undefined },
  count: number,
): RequestLogEntry[] | undefined {
  const found: RequestLogEntry[] = [];
  for (const entry of requestLog.newestFirst()) {
    if (entry.requestId === after) return undefined;
    if (matchesQuery(entry, query) && found.push(entry) === count) return found;
  }
  return undefined;
}

export function matchesQuery(
  entry: RequestLogEntry,
  { operation, caller, status, error, flow }: RequestQuery,
): boolean {
  if (flow !== undefined && entry.flow !== flow) return false;
  if (operation !== undefined && entry.operation?.id !== operation) return false;
  if (caller !== undefined && !isOfCaller(entry, caller)) return false;
  if (error !== undefined && !entry.errors.some(({ code }) => code === error)) return false;
  return status === undefined || matchesStatus(entry.status, status);
}

function isOfCaller({ actor, caller: principal }: RequestLogEntry, caller: string): boolean {
  return actor === caller || (principal !== undefined && isNamedBy(principal, caller));
}

function matchesStatus(status: number | undefined, patterns: string): boolean {
  return patterns.split(',').some((pattern) => String(status).startsWith(pattern.replace('xx', '')));
}

export function toRequestItem(entry: RequestLogEntry): z.input<typeof RequestItem> {
  const {
    requestId,
    correlation,
    at,
    actor,
    caller,
    operation,
    method,
    path,
    status,
    errors,
    duration,
    consoleUse,
    fault,
    flow,
    testToken,
  } = entry;
  return {
    id: requestId,
    ...correlation,
    at: new Date(at).toISOString(),
    caller: actor,
    ...(caller ? { callerName: nameOf(caller), clientId: caller.client.clientId } : {}),
    ...(caller?.user ? { userId: caller.user.userId } : {}),
    ...(operation ? { operation: operation.id as RecordedId } : {}),
    method,
    path,
    ...(status === undefined ? {} : { status }),
    errors: errors.map(({ code }) => code),
    milliseconds: Math.round(duration * 1000) / 1000,
    ...(consoleUse === undefined ? {} : { byConsole: true }),
    ...(fault === undefined ? {} : { fault }),
    ...(flow === undefined ? {} : { flow }),
    ...(testToken === undefined ? {} : { testToken }),
  };
}

function nameOf({ client, user }: Principal): string {
  return user?.userName ?? client.serviceAccountId ?? client.appId;
}

/** Converts an entry to its full JSON form, without secrets. */
export function toRequestDetail(entry: RequestLogEntry, baseUrl: string): z.input<typeof RequestDetail> {
  const [body, responseBody] = [redactBody(entry), redactResponse(entry)];
  return {
    ...toRequestItem(entry),
    query: redactQuery(entry),
    headers: redactRequestHeaders(entry),
    responseHeaders: redactResponseHeaders(entry),
    ...(body === undefined ? {} : { body }),
    bodyState: entry.bodyState,
    ...(responseBody === undefined ? {} : { responseBody }),
    ...toCommand(entry, baseUrl),
  };
}

function toCommand(
  entry: RequestLogEntry,
  baseUrl: string,
): Pick<z.input<typeof RequestDetail>, 'curl' | 'placeholders'> {
  const { curl, placeholders } = formatRequestCurl(entry, baseUrl);
  return { curl, placeholders: placeholders.map(({ path, ...place }) => ({ ...place, path: [...path] })) };
}
