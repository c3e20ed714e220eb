import * as z from 'zod';
import { epochSeconds } from '../../../lib/clock.ts';
import { describeSigningKey } from '../../../tokens/key-states.ts';
import { defineRoute } from '../../define.ts';
import { KeyItem, toKeyItem } from './key-item.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.keys',
  title: 'List signing keys',
  description:
    'State and dates of each key, without the key itself, newest first. The public keys are at /.well-known/jwks.json. The next rotation deletes expired keys.',
  method: 'GET',
  path: '/keys',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: z.array(KeyItem) },
  errors: [],

  async handle(_input, { store, clock }) {
    const now = epochSeconds(clock);
    const keys = (await store.signingKeys.list()).map((row) => describeSigningKey(row, now));
    const rank = (state: string) => (state === 'current' ? 0 : 1);
    return keys.sort((a, b) => rank(a.state) - rank(b.state) || (a.createdAt < b.createdAt ? 1 : -1)).map(toKeyItem);
  },
});
