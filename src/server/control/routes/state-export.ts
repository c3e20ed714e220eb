/** GET /_iam/state/export */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { exportSeed } from '../../state/seed-export.ts';
import { defineRoute } from '../define.ts';

const Format = z.string().regex(/^(state|seed)$/, 'must be state or seed');

export default defineRoute({
  capability: 'maintain',
  id: 'control.state-export',
  title: 'Gives the whole state as one JSON document',
  description:
    'state: every table, one row a line, in an order that is always the same; what an import takes. Passwords and secrets are in it as the hashes that are kept, and the keys of the server as they are: keep it as safe as the folder of the store. seed: a seed document with hashes in the place of passwords and secrets, without the clients and the user of the first start, and without sessions, codes, messages and contacts that were not verified.',
  method: 'GET',
  path: '/state/export',
  audit: { kind: 'administration', targets: {} },
  status: [200, 400, 401, 403, 500],
  request: { query: { format: Format.default('state').describe('state or seed') } },
  response: {
    status: 200,
    body: sensitive(z.looseObject({}), 'secret'),
    secret: true,
    alternatives: ['application/json'],
  },
  errors: [],
  openapiExamples: { response: { formatVersion: 1, tables: {} } },

  async handle({ query: { format } }, { state }) {
    const text = format === 'state' ? await state.export() : await renderSeed(state);
    return { contentType: 'application/json; charset=utf-8', text };
  },
});

async function renderSeed(state: Parameters<typeof exportSeed>[0]): Promise<string> {
  return `${JSON.stringify(await exportSeed(state), undefined, 2)}\n`;
}
