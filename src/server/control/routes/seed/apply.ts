import { derive } from '../../../lib/derive.ts';
import { applySeedToServer } from '../../../seed/apply-to-server.ts';
import { defineRoute } from '../../define.ts';
import { explainSeedErrors, SeedBody, SeedResult } from './seed-body.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.seed-apply',
  title: 'Apply a seed',
  description:
    'Creates or updates the entries of the document in one transaction, and leaves everything else alone. Applying it again changes nothing. Of an invalid document nothing is applied, and the response contains every error with its path. Passwords of existing users and secrets of existing clients remain; a hash of a password is applied. Settings must equal those of the server. Does not change the seed of the server: a reset and new sandboxes start without these entries. To return to this state, save a snapshot. Inside a sandbox it applies to the sandbox.',
  method: 'POST',
  path: '/seed',
  audit: { kind: 'administration', targets: {} },
  request: { body: SeedBody, bodyChecks: 'async' },
  response: {
    status: 200,
    body: SeedResult,
  },
  errors: ['FIELD_VALUE', 'TOO_BUSY'],
  openapiExamples: {
    response: {
      users: { created: 1, updated: 0, unchanged: 0 },
      groups: { created: 0, updated: 1, unchanged: 0 },
    },
  },

  handle: ({ body }, context) =>
    explainSeedErrors([], () =>
      applySeedToServer(
        body,
        derive(context, { hash: (password: string) => context.passwords.asSent.hash(password, context.hashFlow) }),
      ),
    ),
});
