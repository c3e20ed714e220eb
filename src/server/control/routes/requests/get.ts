import { reference } from '../../../../contract/entities.ts';
import { apiError } from '../../../../contract/errors.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { RequestDetail, toRequestDetail } from '../../request-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.request',
  title: 'Show a request',
  description: 'Includes the headers, and the declared fields of the request and response bodies, without secrets.',
  method: 'GET',
  path: '/requests/{id}',
  audit: { kind: 'read', targets: { path: ['id'] } },
  request: {
    params: { id: Id.meta({ examples: ['4f1c2b7a-93de-4c55-8a0e-2f6f5f0e9b11'], ...reference('request', ['id']) }) },
  },
  response: { status: 200, body: RequestDetail },
  errors: ['REQUEST_NOT_FOUND'],

  async handle({ params: { id } }, { observability, baseUrl }) {
    const entry = observability.requestLog.find(id);
    if (!entry) throw apiError('REQUEST_NOT_FOUND');
    return toRequestDetail(entry, baseUrl);
  },
});
