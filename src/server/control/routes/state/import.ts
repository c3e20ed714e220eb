import * as z from 'zod';
import { sensitive } from '../../../../contract/sensitive.ts';
import { defineRoute } from '../../define.ts';
import { maxDumpBytes } from './state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  exclusive: true,
  large: true,
  id: 'control.state-import',
  title: 'Replace the state with an export',
  description: `Atomic: afterwards users, clients with their secrets, sessions and keys are those of the document, including those of the caller. The limits are ${maxDumpBytes / 1024 / 1024} MiB, 1,000,000 rows, and 1,000,000 characters and 40,000 values per row.`,
  method: 'POST',
  path: '/state/import',
  audit: { kind: 'administration', isChange: true, targets: {} },
  request: {
    query: {
      force: z.boolean().default(false).describe('Replace the state even if it contains more than the bootstrap data'),
    },
    body: z.looseObject({
      formatVersion: z
        .int()
        .min(1, 'must not be less than 1')
        .meta({ description: 'Version of the format', examples: [1] }),
      tables: sensitive(z.unknown(), 'secret').optional().describe('Rows of each table'),
    }),
    bodyLimit: maxDumpBytes,
  },
  response: { status: 204 },
  errors: ['STATE_NOT_EMPTY', 'STATE_NEWER', 'STATE_DAMAGED'],

  async handle({ body, query: { force } }, { state }) {
    await state.import(body, force);
  },
});
