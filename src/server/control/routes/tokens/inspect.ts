import * as z from 'zod';
import { optionalText } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { inspectToken, tokenStatuses } from '../../../auth/inspect-token.ts';
import { longestMaxToken } from '../../../config/settings-table.ts';
import { epochSeconds } from '../../../lib/clock.ts';
import { defineRoute } from '../../define.ts';
import { KeyItem, toKeyItem } from '../keys/key-item.ts';
import { SessionItem, toSessionItems } from '../sessions/session-item.ts';

const TokenQuestion = z.strictObject({
  token: sensitive(
    z.string().min(1, 'must not be empty').max(longestMaxToken, 'is too long').describe('Any token'),
    'secret',
  ).meta({ examples: ['cmVmcmVzaC10b2tlbg'] }),
});

const content = z.record(z.string(), z.unknown());

const TokenInspection = z.strictObject({
  kind: z
    .enum(['jwt', 'refresh', 'product', 'one-time', 'unknown'])
    .describe('jwt: an access token, or a token of another server'),
  active: z.boolean().meta({ description: 'Whether the server accepts it now', examples: [true] }),
  status: z
    .enum(tokenStatuses)
    .describe(
      'used: a refresh token that was exchanged; forged: its signature is invalid; key-unknown: no key of this server signed it; rejected: see reason; unknown: not a token of this server, or deleted after its expiry',
    ),
  reason: optionalText('It expired at 2026-03-01T12:00:00.000Z.', 'Why it is rejected'),
  header: content
    .optional()
    .meta({ description: 'Header of a JSON Web Token', examples: [{ alg: 'ES256', typ: 'at+jwt' }] }),
  claims: content.optional().meta({
    description: 'Claims of a JSON Web Token; without verified, anyone may have written them',
    examples: [{ sub: 'alice' }],
  }),
  verified: z
    .boolean()
    .optional()
    .describe('Whether a key of this server signed it, also one whose tokens are no longer accepted'),
  key: KeyItem.optional().describe('The key that its header names'),
  expiresAt: optionalText('2026-03-01T12:00:00.000Z'),
  session: SessionItem.optional().describe('Its session, also an ended one that is not deleted yet'),
  roles: z
    .array(z.string())
    .optional()
    .meta({ description: 'Roles that a request with it has now', examples: [['DEPLOY']] }),
});

export default defineRoute({
  capability: 'read',
  id: 'control.token-inspect',
  title: 'Inspect a token',
  description:
    'Returns claims, header, key, session and roles of a token, and whether and why the server rejects it: expired, revoked, session ended, forged. The token is in the body, so that no URL and no log contains it. Does not count as a use of the token.',
  method: 'POST',
  path: '/tokens/inspect',
  audit: { kind: 'administration', targets: {} },
  request: { body: TokenQuestion },
  response: { status: 200, body: TokenInspection },
  errors: [],

  async handle({ body }, { store, clock, authentication, source }) {
    const { status, key, expiresAt, session, roles, reason, ...found } = await inspectToken(
      body.token,
      authentication,
      source,
    );
    const [item] = session === undefined ? [] : await toSessionItems(store, [session], epochSeconds(clock));
    return {
      ...found,
      active: status === 'active',
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(key === undefined ? {} : { key: toKeyItem(key) }),
      ...formatExpiry(expiresAt),
      ...(item === undefined ? {} : { session: item }),
      ...(roles === undefined ? {} : { roles: [...roles] }),
    };
  },
});

/** A forged expiry may be out of the range of dates. */
function formatExpiry(seconds: number | undefined): { expiresAt?: string } {
  const isDate = seconds !== undefined && Math.abs(seconds) <= 8.64e12;
  return isDate ? { expiresAt: new Date(seconds * 1000).toISOString() } : {};
}
