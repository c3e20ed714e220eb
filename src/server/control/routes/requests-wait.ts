/** GET /_iam/requests/wait */
import * as z from 'zod';
import { fault } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import { defineRoute } from '../define.ts';
import { mostAwaited, RequestFilters, RequestItem, requestItem, wantedCalls } from '../request-items.ts';
import { Timeout, withTimeout } from '../waiting.ts';

const Count = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'must be a number from 1')
  .refine((text) => Number(text) <= mostAwaited, `must be at most ${mostAwaited}`);

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
      count: Count.optional().describe(`How many calls to wait for, at most ${mostAwaited}; 1 where missing`),
      after: Id.optional().describe('Id of a call: only those that came later'),
      timeout: Timeout,
    },
  },
  response: { status: 200, body: z.array(RequestItem) },
  errors: ['REQUEST_NOT_FOUND', 'TOO_MANY_WAITERS'],

  async handle({ query: { timeout, count = '1', ...query } }, context) {
    const { requests, calls } = context.insight;
    const found = await withTimeout(timeout, context, (signal) =>
      calls.waitFor(async () => wantedCalls(requests, query, Number(count)), signal),
    );
    if (!found) throw fault('REQUEST_NOT_FOUND');
    return found.map(requestItem);
  },
});
