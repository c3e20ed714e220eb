import { reference } from '../../../../contract/entities.ts';
import { Id } from '../../../../contract/schemas/primitives.ts';
import { defineRoute } from '../../define.ts';
import { removeFault } from './fault-items.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.faults-remove',
  title: 'Delete fault rules',
  description: 'Deletes one rule or all of them. Requests that a rule already delays are not affected.',
  method: 'DELETE',
  path: '/faults',
  audit: { kind: 'administration', isChange: true, targets: { query: ['id'] } },
  request: {
    query: {
      id: Id.optional().meta({
        description: 'Id of the rule; without it, all rules are deleted',
        examples: ['64b0c0ffee00000000000001'],
        ...reference('fault', ['id']),
      }),
    },
  },
  response: { status: 204 },
  errors: ['FAULT_NOT_FOUND'],

  async handle({ query: { id } }, { observability }) {
    if (id === undefined) observability.faults.clear();
    else removeFault(observability.faults, id);
  },
});
