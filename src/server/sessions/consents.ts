/** What users let third-party clients do after a login with a browser, remembered until it is revoked. */
import type { Clock } from '../lib/clock.ts';
import type { User } from '../store/tables.ts';

/** Clients remembered for one user; the oldest is deleted, and gets no further tokens until the user agrees again. */
const maxClients = 100;

export function hasConsented({ consents = [] }: User, clientId: string, scopes: readonly string[]): boolean {
  const known = consents.find((consent) => consent.clientId === clientId)?.scopes ?? [];
  return consents.some((consent) => consent.clientId === clientId) && scopes.every((name) => known.includes(name));
}

/** The user with the consent to these scopes and to those before. */
export function withConsent(user: User, clientId: string, scopes: readonly string[], clock: Clock): User {
  const { consents = [] } = user;
  const before = consents.find((consent) => consent.clientId === clientId)?.scopes ?? [];
  const others = consents.filter((consent) => consent.clientId !== clientId).slice(1 - maxClients);
  const consent = { clientId, scopes: [...new Set([...before, ...scopes])], at: clock.now().toISOString() };
  return { ...user, consents: [...others, consent] };
}

/** The user without any, as with a new password: a thief of the old one may have given them. */
export function withoutConsents({ consents: _, ...user }: User): User {
  return user;
}

/** The user without the consent to this client; the same object if there is none. */
export function withoutConsent(user: User, clientId: string): User {
  const { consents = [] } = user;
  const others = consents.filter((consent) => consent.clientId !== clientId);
  return others.length === consents.length ? user : { ...user, consents: others };
}
