/** GET /_iam/faults */

import * as z from 'zod';
import { defineRoute } from '../define.ts';
import { FaultItem, toFaultItem } from '../fault-items.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.faults',
  title: 'Lists the faults on purpose',
  description:
    'Rules that disturb calls, in the order in which they were added. Any call can ask for a failure itself besides: Prefer: code=503 gives the answer that its operation documents for that status.',
  method: 'GET',
  path: '/faults',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: z.array(FaultItem) },
  errors: [],

  async handle(_input, { observability }) {
    return observability.faults.list().map(toFaultItem);
  },
});
