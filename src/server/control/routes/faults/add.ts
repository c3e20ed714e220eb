import { defineRoute } from '../../define.ts';
import { FaultInput, FaultItem, parseFaultRule, toFaultItem } from './fault-items.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  id: 'control.faults-add',
  title: 'Add a fault rule',
  description:
    'The rule affects matching requests to the interface after authentication and authorization, or requests for a document. The header X-Iam-Fault of the response and the request log show which rule applied. A restart deletes all rules.',
  method: 'POST',
  path: '/faults',
  audit: { kind: 'administration', isChange: true, targets: { response: ['id'] } },
  request: { body: FaultInput },
  response: { status: 201, body: FaultItem },
  errors: ['TOO_MANY_FAULTS', 'TEST_FEATURES_OFF'],
  openapiExamples: { body: { operation: 'groups.get', every: 3, effect: { status: 503 } } },

  async handle({ body }, { observability }) {
    return toFaultItem(observability.faults.add(parseFaultRule(body)));
  },
});
