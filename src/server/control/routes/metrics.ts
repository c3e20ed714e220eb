/** GET /_iam/metrics, and /metrics */
import * as z from 'zod';
import { defineRoute } from '../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.metrics',
  title: 'Gives figures for Prometheus',
  description:
    'Calls and how long they took by operation and status since the start, hashes that wait, how many entities and sessions there are, how long the disk and the turns of the process take, and whether store and audit log are written. It is answered at /metrics as well.',
  method: 'GET',
  path: '/metrics',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: z.string(), alternatives: ['text/plain'] },
  errors: [],
  openapiExamples: {
    response:
      '# HELP iam_store_writable Whether the store takes writes\n# TYPE iam_store_writable gauge\niam_store_writable 1\n',
  },

  async handle(_input, { observability, store, audit }) {
    // Loaded for who asks: it takes longer than a start may.
    const { renderMetrics: metricsText } = await import('../../observability/metrics.ts');
    const { coverage, loopDelay } = observability;
    const parts = { store, audit, delay: loopDelay.readAndReset(), hashesWaiting: observability.hashesWaiting() };
    return metricsText(coverage.sinceStart(), parts);
  },
});
