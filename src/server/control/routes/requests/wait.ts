import * as z from 'zod';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { findRequests, maxAwaited, RequestFilters, RequestItem, toRequestItem } from '../../request-items.ts';
import { Timeout, withTimeout } from '../../wait-timeout.ts';

const Count = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be a number from 1')
  .refine((text) => Number(text) <= maxAwaited, `must be at most ${maxAwaited}`);

export default defineRoute({
  capability: 'read',
  id: 'control.requests-wait',
  title: 'Wait for requests',
  description:
    'Returns the last matching requests, newest first, as soon as the request log contains count of them; with after, only requests after that id. Returns 404 on timeout.',
  method: 'GET',
  path: '/requests/wait',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      ...RequestFilters,
      count: Count.optional().meta({
        description: `Number of requests to wait for, at most ${maxAwaited}; default 1`,
        examples: ['1'],
      }),
      after: Id.optional().meta({
        description: 'Id of a request: only later requests',
        examples: ['4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11'],
      }),
      timeout: Timeout,
    },
  },
  response: { status: 200, body: z.array(RequestItem) },
  errors: ['REQUEST_NOT_FOUND', 'TOO_MANY_WAITERS'],

  async handle({ query: { timeout, count = '1', ...query } }, context) {
    const { requestLog, requestWaiters } = context.observability;
    const found = await withTimeout(timeout, context, (signal) =>
      requestWaiters.waitFor(async () => findRequests(requestLog, query, Number(count)), signal),
    );
    if (!found) throw apiError('REQUEST_NOT_FOUND');
    return found.map(toRequestItem);
  },
});
