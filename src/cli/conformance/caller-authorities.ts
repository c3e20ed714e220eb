/** What the caller of the command may do, from its access token. */
import { type CallerAuthorities, isAllowed, parseRoles, stripRolePrefix } from '../../contract/roles.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import { decodeClaims } from '../auth/decode-token.ts';
import type { Context } from '../context.ts';
import { getCurrentToken } from '../request/current-token.ts';

export interface SuiteCaller {
  readonly kind: 'none' | 'client' | 'user' | 'unknown';
  /** Undefined if the credentials do not show them, as an API key or an opaque token. */
  readonly authorities: CallerAuthorities | undefined;
}

/** Signs in if that is needed. @throws ClientError if the credentials are rejected */
export async function readSuiteCaller(context: Context): Promise<SuiteCaller> {
  const credentials = resolveCredentials(context.settings);
  if (credentials.kind === 'none') return { kind: 'none', authorities: undefined };
  const token = await getCurrentToken(context, credentials);
  const claims = token === undefined ? undefined : decodeClaims(token);
  if (!claims || !Array.isArray(claims.authorities)) return { kind: 'unknown', authorities: undefined };
  return {
    kind: claims.user_id === undefined ? 'client' : 'user',
    authorities: {
      roles: new Set(claims.authorities.map((name) => stripRolePrefix(String(name)))),
      scope: new Set(Array.isArray(claims.scope) ? claims.scope.map(String) : []),
    },
  };
}

/** Whether the caller has the roles of an expression; undefined if that is unknown. */
export function callerHasRoles({ kind, authorities }: SuiteCaller, roles: string): boolean | undefined {
  const expression = parseRoles(roles);
  if (expression.kind === 'public') return true;
  if (kind === 'none') return false;
  return authorities && isAllowed(expression, authorities);
}
