/** Entries of the request log as the control plane returns them. */
import * as z from 'zod';
import { singleLine } from '../../contract/schemas/primitives.ts';
import { redactBody, redactQuery, redactResponse } from '../observability/redaction.ts';
import type { RequestLog, RequestLogEntry } from '../observability/request-log.ts';

export const RequestItem = z.strictObject({
  id: z.string().describe('X-Request-Id of the response'),
  at: z.string().describe('When the response was sent'),
  caller: z.string().describe('Subject that sent the request or logged in; a fixed name if unauthenticated'),
  clientId: z.string().optional(),
  userId: z.string().optional(),
  operation: z.string().optional().describe('Absent if the request matched no operation'),
  method: z.string(),
  path: z.string(),
  status: z.int().optional().describe('Absent if an injected fault closed the connection'),
  errors: z.array(z.string()).describe('Error codes'),
  milliseconds: z.number(),
  fault: z.string().optional().describe('The injected fault'),
});

export const RequestDetail = RequestItem.extend({
  query: z.record(z.string(), z.string()),
  body: z.unknown().optional().describe('Request body without secrets; only declared fields'),
  answer: z.unknown().optional().describe('Response body without secrets'),
});

export const RequestFilters = {
  operation: singleLine(64, 'Only requests to this operation, such as groups.create').optional(),
  caller: singleLine(64, 'Only requests of this subject, client or user').optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)$/, 'must be a status such as 404, or a class such as 4xx')
    .optional()
    .describe('Only responses with this status, such as 404, or class, such as 4xx'),
  error: singleLine(64, 'Only responses with this error code').optional(),
};

export interface RequestQuery {
  readonly operation?: string | undefined;
  readonly caller?: string | undefined;
  readonly status?: string | undefined;
  readonly error?: string | undefined;
}

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

/** Returns whether an entry matches the query. */
export function matchesQuery(entry: RequestLogEntry, { operation, caller, status, error }: RequestQuery): boolean {
  if (operation !== undefined && entry.operation?.id !== operation) return false;
  const names = [entry.actor, entry.caller?.client.clientId, entry.caller?.user?.userId];
  if (caller !== undefined && !names.includes(caller)) return false;
  if (error !== undefined && !entry.errors.some(({ code }) => code === error)) return false;
  return status === undefined || matchesStatus(entry.status, status);
}

function matchesStatus(status: number | undefined, pattern: string): boolean {
  return status !== undefined && String(status).startsWith(pattern.replace('xx', ''));
}

export function toRequestItem(entry: RequestLogEntry): z.input<typeof RequestItem> {
  const { requestId, at, actor, caller, operation, method, path, status, errors, duration, fault } = entry;
  return {
    id: requestId,
    at: new Date(at).toISOString(),
    caller: actor,
    ...(caller ? { clientId: caller.client.clientId } : {}),
    ...(caller?.user ? { userId: caller.user.userId } : {}),
    ...(operation ? { operation: operation.id } : {}),
    method,
    path,
    ...(status === undefined ? {} : { status }),
    errors: errors.map(({ code }) => code),
    milliseconds: Math.round(duration * 1000) / 1000,
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Converts an entry to its full JSON form, without secrets. */
export function toRequestDetail(entry: RequestLogEntry): z.input<typeof RequestDetail> {
  const [body, answer] = [redactBody(entry), redactResponse(entry)];
  return {
    ...toRequestItem(entry),
    query: redactQuery(entry),
    ...(body === undefined ? {} : { body }),
    ...(answer === undefined ? {} : { answer }),
  };
}
