/**
 * Whether a success is a response of this service at all: the page of a captive portal also has the status 200. Its
 * declaration in the registry says what it must have.
 */
import { ClientError } from '../../client/errors.ts';
import type { ApiResponse } from '../../client/response.ts';
import { identifyingProperties } from '../../contract/entities.ts';
import type { JsonSchema, ManifestOperation, ManifestRoute, PromisedResponse } from '../../contract/manifest-types.ts';
import type { Method } from '../../contract/operation.ts';
import { HintedClientError, otherServerHint } from '../errors.ts';

/** A success that is not what the service promises. A write may have taken effect: a proxy can replace its response. */
export class UnreadableResponseError extends HintedClientError {
  constructor({ status, requestId }: ApiResponse, message: string) {
    super(new ClientError({ status, requestId, items: [{ code: 'ANSWER_UNREADABLE', message }] }), otherServerHint);
  }
}

/** The error of a success that lacks what was promised; undefined if it has everything. */
export function findUnreadable(response: ApiResponse, promised: PromisedResponse): UnreadableResponseError | undefined {
  const problem = describeProblem(response, promised);
  return problem === undefined ? undefined : new UnreadableResponseError(response, problem);
}

function describeProblem({ body, headers }: ApiResponse, promised: PromisedResponse): string | undefined {
  const { types = [], list, required = [], header } = promised;
  const [type = ''] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (types.includes(type)) return undefined;
  // JSON is parsed: a text is of another type, malformed or cut.
  if (typeof body === 'string') return `The response is not one of this service: ${type || 'text without a type'}.`;
  if (header !== undefined && headers[header] === undefined) return `The response lacks the header ${header}.`;
  if (list) return Array.isArray(body) ? undefined : 'The response is not a list.';
  const missing = required.filter((name) => !hasField(body, name));
  return missing.length === 0 ? undefined : `The response lacks ${missing.join(', ')}.`;
}

function hasField(body: unknown, name: string): boolean {
  return typeof body === 'object' && body !== null && (body as Readonly<Record<string, unknown>>)[name] !== undefined;
}

/** What a success of an operation, or of a route of the control plane, has. */
export function promisedBy({ method, response }: ManifestOperation | ManifestRoute): PromisedResponse {
  if (!('page' in response)) return response;
  const { page, schema, header } = response;
  return header ? { header: header.name.toLowerCase() } : describePromise(method, page ? { type: 'array' } : schema);
}

/** Describes the promise of a response schema. @param types the media types besides JSON */
export function describePromise(
  method: Method,
  schema: JsonSchema | undefined,
  types: readonly string[] = [],
): PromisedResponse {
  if (types.length > 0 || schema?.type === 'string') return { types: [...new Set(['application/json', ...types])] };
  if (schema?.type === 'array') return { list: true };
  // What a read lacks is absent in the output; what a write lacks is lost.
  if (method === 'GET') return {};
  const required = (schema?.required ?? []).filter((name) => isDecisive(name, schema?.properties?.[name]));
  return required.length > 0 ? { required } : {};
}

/** Other fields may be absent in responses of an older server. */
function isDecisive(name: string, schema: JsonSchema | undefined): boolean {
  return identifyingProperties.has(name) || schema?.sensitive === 'secret';
}
