/** The claims of an access token (RFC 9068, and the claims of the service interface). */
import * as z from 'zod';
import { stripRolePrefix } from '../../contract/roles.ts';

/** `typ` of the header: prevents other kinds of JWT from being accepted as access tokens. */
export const accessTokenType = 'at+jwt';

/** Maximum clock difference in seconds between processes that share a store. */
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
  /** Present in every token of this server, so that none is mistaken for a token of the real service. */
  stand_in: z.boolean().optional(),
  /** The session of the token; the token is valid only as long as the session. */
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

/** Role names as in the token: each with the prefix. */
export function toAuthorities(roles: Iterable<string>): string[] {
  return [...roles].map((role) => `ROLE_${role}`).sort();
}

/** Role names for comparison: without the prefix. */
export function parseAuthorities(claims: AccessClaims): string[] {
  return claims.authorities.map(stripRolePrefix);
}
