import * as z from 'zod';
import { defineRoute } from '../../define.ts';
import { FaultItem, toFaultItem } from './fault-items.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.faults',
  title: 'List fault rules',
  description:
    'In the order in which they were added. A single request can also request an error itself: the header Prefer: code=503 returns the error that the operation documents for that status.',
  method: 'GET',
  path: '/faults',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: z.array(FaultItem) },
  errors: [],

  async handle(_input, { observability }) {
    return observability.faults.list().map(toFaultItem);
  },
});
