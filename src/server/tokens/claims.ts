/** What an access token says (RFC 9068, and the claims of the service interface). */
import * as z from 'zod';
import { stripRolePrefix } from '../../contract/roles.ts';

/** `typ` of the header: keeps every other kind of JWT from passing as an access token. */
export const accessTokenType = 'at+jwt';

/** By how many seconds the clocks of two processes on one store may differ. */
export const maxClockSkewSeconds = 60;

export const AccessClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  iat: z.number().int(),
  exp: z.number().int(),
  nbf: z.number().int().optional(),
  jti: z.uuid(),
  scope: z.array(z.string()),
  authorities: z.array(z.string()),
  client_id: z.string(),
  app_id: z.string(),
  /** In every token of ours, so that none passes for one of the real service. */
  stand_in: z.boolean().optional(),
  /** The session that the token ends with. */
  sid: z.string().optional(),
  user_id: z.string().optional(),
  business_id: z.string().optional(),
  customer_id: z.number().int().optional(),
  service_id: z.string().optional(),
  logon: z.string().optional(),
  organization_id: z.string().optional(),
  business_unit_id: z.string().optional(),
});

export type AccessClaims = z.infer<typeof AccessClaims>;

/** Role names as the token carries them: every one with the prefix. */
export function toAuthorities(roles: Iterable<string>): string[] {
  return [...roles].map((role) => `ROLE_${role}`).sort();
}

/** Role names as they compare: without the prefix. */
export function parseAuthorities(claims: AccessClaims): string[] {
  return claims.authorities.map(stripRolePrefix);
}
