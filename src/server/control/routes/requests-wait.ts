/** GET /_iam/requests/wait */
import * as z from 'zod';
import { apiError } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import { defineRoute } from '../define.ts';
import { findRequests, maxAwaited, RequestFilters, RequestItem, toRequestItem } from '../request-items.ts';
import { Timeout, withTimeout } from '../wait-timeout.ts';

const Count = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be a number from 1')
  .refine((text) => Number(text) <= maxAwaited, `must be at most ${maxAwaited}`);

export default defineRoute({
  capability: 'read',
  id: 'control.requests-wait',
  title: 'Waits for calls',
  description:
    'The last calls that fit, the newest first, as soon as there are so many of them among those that are kept; with after, among those that came after that one. It answers 404 when the time is over.',
  method: 'GET',
  path: '/requests/wait',
  audit: { kind: 'read', targets: {} },
  status: [200, 400, 401, 403, 404, 429, 500],
  request: {
    query: {
      ...RequestFilters,
      count: Count.optional().describe(`How many calls to wait for, at most ${maxAwaited}; 1 where missing`),
      after: Id.optional().describe('Id of a call: only those that came later'),
      timeout: Timeout,
    },
  },
  response: { status: 200, body: z.array(RequestItem) },
  errors: ['REQUEST_NOT_FOUND', 'TOO_MANY_WAITERS'],

  async handle({ query: { timeout, count = '1', ...query } }, context) {
    const { requestLog: requests, requestWaiters: calls } = context.observability;
    const found = await withTimeout(timeout, context, (signal) =>
      calls.waitFor(async () => findRequests(requests, query, Number(count)), signal),
    );
    if (!found) throw apiError('REQUEST_NOT_FOUND');
    return found.map(toRequestItem);
  },
});
