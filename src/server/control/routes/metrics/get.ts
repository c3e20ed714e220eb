import * as z from 'zod';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.metrics',
  title: 'Get metrics for Prometheus',
  description:
    'Requests and their durations by operation and status since the start, queued password hashes, numbers of entities and sessions, disk sync time and event-loop delay, and whether store and audit log are writable. Also served at /metrics.',
  method: 'GET',
  path: '/metrics',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: z.string(), alternatives: ['text/plain'] },
  errors: [],
  openapiExamples: {
    response:
      '# HELP iam_store_writable Whether the store is writable\n# TYPE iam_store_writable gauge\niam_store_writable 1\n',
  },

  async handle(_input, { observability, store, audit }) {
    // Loaded on demand: it would slow down the start.
    const { renderMetrics } = await import('../../../observability/metrics.ts');
    const { coverage, loopDelay } = observability;
    const deps = { store, audit, delay: loopDelay.readAndReset(), hashesWaiting: observability.hashesWaiting() };
    return renderMetrics(coverage.sinceStart(), deps);
  },
});
