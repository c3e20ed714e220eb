/** POST /_iam/store/backup */
import * as z from 'zod';
import { sensitive } from '../../../contract/sensitive.ts';
import { createBackup } from '../../store/json/backup.ts';
import { defineRoute } from '../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.store-backup',
  title: 'Gives a backup of the store',
  description:
    'Everything as it is at one moment, while calls go on. The last bytes are a checksum of all before them; `iam store restore` makes a store of it. It holds the signing keys of the server, so whoever has it can make tokens: keep it as safe as the folder of the store.',
  method: 'POST',
  path: '/store/backup',
  audit: { kind: 'administration', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: {
    status: 200,
    body: sensitive(z.string(), 'secret'),
    secret: true,
    alternatives: ['application/octet-stream'],
  },
  errors: [],

  async handle(_input, { store, clock }) {
    const chunks = createBackup(await store.dump(), clock.now().toISOString());
    return { contentType: 'application/octet-stream', chunks };
  },
});
