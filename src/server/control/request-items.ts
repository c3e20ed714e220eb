/** Calls as the journal of requests shows them. */
import * as z from 'zod';
import { line } from '../../contract/schemas.ts';
import type { KeptCall, RequestJournal } from '../insight/journal.ts';
import { shownAnswer, shownBody, shownQuery } from '../insight/redact.ts';

export const RequestItem = z.strictObject({
  id: z.string().describe('The X-Request-Id of the answer'),
  at: z.string().describe('When the answer went out'),
  caller: z.string().describe('The subject that called or logged in, or nobody'),
  clientId: z.string().optional(),
  userId: z.string().optional(),
  operation: z.string().optional().describe('Missing where no operation took the call'),
  method: z.string(),
  path: z.string(),
  status: z.int().optional().describe('Missing where a fault dropped the connection'),
  errors: z.array(z.string()).describe('Error codes'),
  milliseconds: z.number(),
  fault: z.string().optional().describe('What a fault on purpose did to the call'),
});

export const RequestDetail = RequestItem.extend({
  query: z.record(z.string(), z.string()),
  body: z.unknown().optional().describe('Of the request, without secrets; only declared fields'),
  answer: z.unknown().optional().describe('Body of the answer, without secrets'),
});

export const RequestFilters = {
  operation: line(64, 'Only calls of this operation, such as groups.create').optional(),
  caller: line(64, 'Only calls by this subject, client or user').optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)$/, 'must be a status such as 404, or a class such as 4xx')
    .optional()
    .describe('Only answers of this status, such as 404, or of a class, such as 4xx'),
  error: line(64, 'Only answers with this error code').optional(),
};

export interface RequestQuery {
  readonly operation?: string | undefined;
  readonly caller?: string | undefined;
  readonly status?: string | undefined;
  readonly error?: string | undefined;
}

/** So many calls may be waited for. */
export const mostAwaited = 1000;

/** The last calls that fit, the newest first: so many, or undefined where there are fewer. */
export function wantedCalls(
  journal: RequestJournal,
  { after, ...query }: RequestQuery & { readonly after?: string | undefined },
  count: number,
): KeptCall[] | undefined {
  const found: KeptCall[] = [];
  for (const call of journal.newestFirst()) {
    if (call.requestId === after) return undefined;
    if (fitsQuery(call, query) && found.push(call) === count) return found;
  }
  return undefined;
}

/** Whether a call is asked for. */
export function fitsQuery(call: KeptCall, { operation, caller, status, error }: RequestQuery): boolean {
  if (operation !== undefined && call.operation?.id !== operation) return false;
  const names = [call.actor, call.caller?.client.clientId, call.caller?.user?.userId];
  if (caller !== undefined && !names.includes(caller)) return false;
  if (error !== undefined && !call.errors.some(({ code }) => code === error)) return false;
  return status === undefined || isOfStatus(call.status, status);
}

function isOfStatus(status: number | undefined, wanted: string): boolean {
  return status !== undefined && String(status).startsWith(wanted.replace('xx', ''));
}

export function requestItem(call: KeptCall): z.input<typeof RequestItem> {
  const { requestId, at, actor, caller, operation, method, path, status, errors, duration, fault } = call;
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

/** All that is kept of a call, without secrets. */
export function requestDetail(call: KeptCall): z.input<typeof RequestDetail> {
  const [body, answer] = [shownBody(call), shownAnswer(call)];
  return {
    ...requestItem(call),
    query: shownQuery(call),
    ...(body === undefined ? {} : { body }),
    ...(answer === undefined ? {} : { answer }),
  };
}
