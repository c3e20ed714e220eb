/** POST /_iam/state/import */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { defineRoute } from '../define.ts';
import { maxDumpBytes } from '../state-schemas.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.state-import',
  title: 'Puts an exported state in the place of what is there',
  description: `All of it or nothing: users, clients with their secrets, sessions and keys are then those of the document, whoever called. It may be ${maxDumpBytes / 1024 / 1024} MiB long and have 1,000,000 rows, of 1,000,000 characters and 40,000 values each.`,
  method: 'POST',
  path: '/state/import',
  audit: { kind: 'administration', targets: {} },
  status: [204, 400, 401, 403, 412, 422, 500],
  request: {
    query: { force: z.boolean().default(false).describe('Even where there is more than the first start made') },
    body: z.looseObject({
      formatVersion: z.int().min(1, 'must not be less than 1').describe('The version of the form that it has'),
      tables: sensitive(z.unknown(), 'secret').optional().describe('The rows of each table'),
    }),
    bodyLimit: maxDumpBytes,
  },
  response: { status: 204 },
  errors: ['STATE_NOT_EMPTY', 'STATE_NEWER', 'STATE_DAMAGED'],

  async handle({ body, query: { force } }, { state }) {
    await state.import(body, force);
    return undefined;
  },
});
