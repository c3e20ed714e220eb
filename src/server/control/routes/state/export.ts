import * as z from 'zod';
import { sensitive } from '../../../../contract/sensitive.ts';
import { exportSeed, formatSeed } from '../../../snapshots/seed-export.ts';
import { defineRoute } from '../../define.ts';

const Format = z.string().regex(/^(state|seed)$/, 'must be state or seed');

export default defineRoute({
  capability: 'maintain',
  hashes: true,
  large: true,
  id: 'control.state-export',
  title: 'Export the state as JSON',
  description:
    'state: every table, one row per line in a stable order; the format that import accepts. It contains hashes of passwords and secrets, and the private keys of the server: protect it like the folder of the store. seed: a seed document with hashes instead of passwords and secrets, without the bootstrap clients and user, and without sessions, codes, messages and unverified contacts.',
  method: 'GET',
  path: '/state/export',
  audit: { kind: 'administration', targets: {} },
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
    const contentType = 'application/json; charset=utf-8';
    if (format === 'state') return { contentType, chunks: await state.export() };
    return { contentType, text: await formatSeed(await exportSeed(state)) };
  },
});
