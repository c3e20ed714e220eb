/** ID tokens and the claims of a user by scope (OpenID Connect Core 1.0, 2 and 5.4). */
import { createHash } from 'node:crypto';
import { computeLevel } from '../directory/authentication-levels.ts';
import { combineUserRoles, limitToConsent, rolesScope } from '../directory/user-roles.ts';
import { type Clock, epochSeconds } from '../lib/clock.ts';
import { formatNumber } from '../messaging/contacts.ts';
import type { Session, User } from '../store/tables.ts';
import type { UserContent } from '../tokens/content.ts';
import { idTokenLifetime } from '../tokens/generate-key.ts';

export interface IdTokenOptions {
  readonly clock: Clock;
  readonly issuer: string;
  readonly nonce?: string | undefined;
  /** The access token that is issued together with it. */
  readonly accessToken: string;
}

/** The claims for a session that an authorization with the scope `openid` started. */
export function createIdTokenClaims(content: UserContent, options: IdTokenOptions): object {
  const { session, client, user } = content;
  const { openid } = session;
  const iat = epochSeconds(options.clock);
  return {
    iss: options.issuer,
    sub: user.userId,
    aud: client.clientId,
    azp: client.clientId,
    iat,
    exp: Math.min(iat + idTokenLifetime, session.endsAt),
    ...(openid?.authenticatedAt ? { auth_time: openid.authenticatedAt } : {}),
    ...(options.nonce === undefined ? {} : { nonce: options.nonce }),
    acr: computeLevel(session, iat),
    amr: listMethods(session, iat),
    at_hash: hashAccessToken(options.accessToken),
    // Of the session that all applications of the browser share.
    ...(openid?.browserSessionId === undefined ? {} : { sid: openid.browserSessionId }),
    stand_in: true,
    ...createScopeClaims(content, iat),
  };
}

/** RFC 8176: a code that was sent is `otp`; a second factor, or the key of a certificate (`pop`), makes it `mfa`. */
function listMethods(session: Session, now: number): string[] {
  const methods = session.openid?.methods ?? [];
  return computeLevel(session, now) === 'AUTH-MFA'
    ? [...methods, ...(methods.includes('pop') ? [] : ['otp']), 'mfa']
    : [...methods];
}

/** The left half of the SHA-256, which RS256 and ES256 both use. */
function hashAccessToken(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}

/** What the scopes of the session tell about the user. @param now epoch seconds */
export function createScopeClaims(
  { user, session, groupRoles }: Pick<UserContent, 'user' | 'session' | 'groupRoles'>,
  now: number,
): Record<string, unknown> {
  const scopes = session.openid?.scopes ?? [];
  const roles = limitToConsent(combineUserRoles(user, computeLevel(session, now), groupRoles), session);
  return {
    ...(scopes.includes('profile') ? { name: user.userName, preferred_username: user.userName } : {}),
    ...(scopes.includes('email') ? createEmailClaims(user) : {}),
    ...(scopes.includes('phone') ? createPhoneClaims(user) : {}),
    ...(scopes.includes(rolesScope) ? { roles: [...roles].sort() } : {}),
  };
}

function createEmailClaims({ userEmail, emailVerified }: User): object {
  return userEmail === undefined ? {} : { email: userEmail, email_verified: emailVerified };
}

function createPhoneClaims({ userMobile, mobileVerified }: User): object {
  return userMobile === undefined
    ? {}
    : { phone_number: formatNumber(userMobile), phone_number_verified: mobileVerified };
}
