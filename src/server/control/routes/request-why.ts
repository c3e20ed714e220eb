/** GET /_iam/requests/{id}/why */
import { fault } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import { defineRoute } from '../define.ts';
import { Why, whyOf } from '../why.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.request-why',
  title: 'Explains how a call was answered',
  description:
    'The credential and why it was not taken, who called, its groups and roles, what the operation asks for and the nearest way in, and the rule about objects that refused. Callers are told none of it.',
  method: 'GET',
  path: '/requests/{id}/why',
  audit: { kind: 'read', targets: { path: ['id'] } },
  status: [200, 401, 403, 404, 500],
  request: { params: { id: Id } },
  response: { status: 200, body: Why },
  errors: ['REQUEST_NOT_FOUND'],

  async handle({ params: { id } }, { insight, store, clock }) {
    const call = insight.requests.find(id);
    if (!call) throw fault('REQUEST_NOT_FOUND');
    return whyOf(call, { store, clock });
  },
});
