import * as z from 'zod';
import { sensitive } from '../../../../contract/sensitive.ts';
import { createBackup } from '../../../store/maintenance/backup.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'maintain',
  hashes: true,
  id: 'control.store-backup',
  title: 'Back up the store',
  description:
    'Returns a consistent backup without blocking requests. It ends with a checksum of all preceding bytes; restore it with `iam store restore`. It contains the signing keys of the server, with which anyone can issue tokens: protect it like the folder of the store.',
  method: 'POST',
  path: '/store/backup',
  audit: { kind: 'administration', targets: {} },
  request: {},
  response: {
    status: 200,
    body: sensitive(z.string(), 'secret').meta({ examples: ['{"formatVersion":1}'] }),
    secret: true,
    alternatives: ['application/octet-stream'],
  },
  errors: [],

  async handle(_input, { store, clock }) {
    const chunks = createBackup(await store.dump(), clock.now().toISOString());
    return { contentType: 'application/octet-stream', chunks };
  },
});
