/** Whether login_hint (OpenID Connect Core 1.0, 3.1.2.1) asks for another user than the one who is logged in. */
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { hasConsented } from '../sessions/consents.ts';
import type { Store } from '../store/store.ts';
import { hasEmailForm, type User } from '../store/tables.ts';
import type { LoginFor } from './authorization-request.ts';

/**
 * Says nothing to a third-party client that it may not read: it could guess the name or the address of its user, as a match
 * gets a code and a mismatch a page. A hint of a kind that the user has not agreed to show is not compared.
 */
export async function isHintOfAnother(
  { store }: { readonly store: Pick<Store, 'users'> },
  { client, loginHint }: LoginFor,
  user: User,
): Promise<boolean> {
  if (loginHint === undefined) return false;
  const { clientId, party } = client;
  const mayRead = (scope: 'profile' | 'email') => party === '1STPARTY' || hasConsented(user, clientId, [scope]);
  const { userId, userName, userEmail = '' } = user;
  const readable = [userId, mayRead('profile') ? userName : '', mayRead('email') ? userEmail : ''];
  if (readable.some((name) => foldIdentifier(name) === foldIdentifier(loginHint))) return false;
  if (mayRead(hasEmailForm(loginHint) ? 'email' : 'profile')) return true;
  // The client knows the ids of those who agreed to it.
  const hinted = await store.users.get(loginHint);
  return hinted !== undefined && hasConsented(hinted, clientId, []);
}
