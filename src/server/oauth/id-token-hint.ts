/** The parameter id_token_hint (OpenID Connect Core 1.0, 3.1.2.1; RP-Initiated Logout 1.0, 2). */
import { compactVerify } from 'jose';
import * as z from 'zod';
import { sensitive } from '../../contract/sensitive.ts';
import { longestMaxToken } from '../config/settings-table.ts';
import type { OperationContext } from '../request-context.ts';
import { idTokenType } from '../tokens/claims.ts';

export const idTokenHint = sensitive(z.string().max(longestMaxToken, 'is too long'), 'secret');

export interface IdTokenHint {
  readonly sub: string;
  readonly aud: string;
  /** The session of the browser; absent with offline access. */
  readonly sid?: string | undefined;
}

const Claims = z.object({ iss: z.string(), sub: z.string(), aud: z.string(), sid: z.string().optional() });

/** An ID token of this server, also an expired one; undefined for anything else. */
export async function readIdTokenHint(
  { keys, issuerUrl }: OperationContext,
  token: string,
): Promise<IdTokenHint | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, ({ kid = '', alg }) => {
      const key = keys.findForIdToken(kid);
      if (key?.alg !== alg) throw new Error('unknown key');
      return key.publicKey;
    });
    const claims = Claims.parse(JSON.parse(new TextDecoder().decode(payload)));
    return protectedHeader.typ === idTokenType && claims.iss === issuerUrl ? claims : undefined;
  } catch {
    return undefined;
  }
}
