import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { explainRequest, RequestExplanation } from './request-explanation.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.request-why',
  title: 'Explain the response to a request',
  description:
    'Returns the credential and why it was rejected, the caller with its groups and roles, the role expression of the operation and what the caller lacks, and the object-access rule that rejected the request. Responses to callers contain none of it.',
  method: 'GET',
  path: '/requests/{id}/why',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: {
    params: { id: Id.meta({ examples: ['4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11'], ...reference('request', ['id']) }) },
  },
  response: { status: 200, body: RequestExplanation },
  errors: ['REQUEST_NOT_FOUND'],

  async handle({ params: { id } }, { observability, store, clock }) {
    const entry = observability.requestLog.find(id);
    if (!entry) throw apiError('REQUEST_NOT_FOUND');
    return explainRequest(entry, { store, clock });
  },
});
