/** The subject of an assertion, which identifies a user at a provider, and the link that a user has to it. */

export const MAX_PROVIDER_NAME_LENGTH = 64;
const MAX_SUBJECT_LENGTH = 255;

/** The length of the longest link. */
export const MAX_LINK_LENGTH = MAX_PROVIDER_NAME_LENGTH + 1 + MAX_SUBJECT_LENGTH;

/** A usable subject: not empty, a single line, limited in length (OpenID Connect Core 1.0, section 2; SAML 2.0 Core, section 8.3.7). */
export function isSubject(subject: unknown): subject is string {
  if (typeof subject !== 'string' || subject.length > MAX_SUBJECT_LENGTH || subject.trim() === '') return false;
  return !/[\p{Control}\p{Surrogate}]/u.test(subject);
}

/** The identity of a user that links it to an account at a provider. */
export function formatLink(provider: string, subject: string): string {
  return `${provider}:${subject}`;
}
