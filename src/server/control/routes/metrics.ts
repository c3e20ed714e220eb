/** GET /_iam/metrics, and /metrics */
import { z } from 'zod';
import { defineRoute, forReaders } from '../define.ts';

export default defineRoute({
  ...forReaders,
  id: 'control.metrics',
  title: 'Gives figures for Prometheus',
  description:
    'Calls and how long they took by operation and status since the start, hashes that wait, and how many entities and sessions there are. It is answered at /metrics as well.',
  path: '/metrics',
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: z.string(), alternatives: ['text/plain'] },
  errors: [],
  samples: {
    answer:
      '# HELP iam_store_writable Whether the store takes writes\n# TYPE iam_store_writable gauge\niam_store_writable 1\n',
  },

  async handle(_input, { insight, store }) {
    // Loaded for who asks: it takes longer than a start may.
    const { metricsText } = await import('../../insight/metrics.ts');
    return metricsText(insight.coverage.sinceStart(), { store, hashesWaiting: insight.hashesWaiting() });
  },
});
