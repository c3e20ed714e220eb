/** POST /_iam/faults */
import { defineRoute } from '../define.ts';
import { FaultInput, FaultItem, parseFaultRule, toFaultItem } from '../fault-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.faults-add',
  title: 'Adds a fault on purpose',
  description:
    'From now on it disturbs the calls of the interface that match, once they are authenticated and allowed, or, with staleKeys, those for the key set; the header X-Iam-Fault of their answers and the journal of requests say so. A restart forgets it.',
  method: 'POST',
  path: '/faults',
  audit: { kind: 'administration', targets: { response: ['id'] } },
  status: [201, 400, 401, 403, 412, 429, 500],
  request: { body: FaultInput },
  response: { status: 201, body: FaultItem },
  errors: ['TOO_MANY_FAULTS', 'TEST_FEATURES_OFF'],
  openapiExamples: { body: { operation: 'groups.get', every: 3, effect: { status: 503 } } },

  async handle({ body }, { observability }) {
    return toFaultItem(observability.faults.add(parseFaultRule(body)));
  },
});
