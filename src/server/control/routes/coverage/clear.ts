import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.coverage-clear',
  title: 'Reset the coverage counters',
  description: 'The counters of /metrics are not reset.',
  method: 'DELETE',
  path: '/coverage',
  audit: { kind: 'administration', isChange: true, targets: {} },
  request: {},
  response: { status: 204 },
  errors: [],

  async handle(_input, { observability }) {
    observability.coverage.clear();
  },
});
