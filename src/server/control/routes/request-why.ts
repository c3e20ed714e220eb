/** GET /_iam/requests/{id}/why */
import { apiError } from '../../../contract/errors.ts';
import { Id } from '../../../contract/schemas.ts';
import { defineRoute } from '../define.ts';
import { explainRequest, RequestExplanation } from '../request-explanation.ts';

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
  response: { status: 200, body: RequestExplanation },
  errors: ['REQUEST_NOT_FOUND'],

  async handle({ params: { id } }, { observability, store, clock }) {
    const call = observability.requestLog.find(id);
    if (!call) throw apiError('REQUEST_NOT_FOUND');
    return explainRequest(call, { store, clock });
  },
});
