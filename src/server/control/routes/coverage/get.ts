import { defineRoute } from '../../define.ts';
import { buildCoverageReport, CoverageReport } from './coverage-report.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.coverage',
  title: 'Show the coverage report',
  description:
    'For each operation, which of its documented statuses and error codes were returned since the start or the last reset. Injected faults count.',
  method: 'GET',
  path: '/coverage',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: CoverageReport },
  errors: [],

  async handle(_input, { observability }) {
    return buildCoverageReport(observability.coverage);
  },
});
