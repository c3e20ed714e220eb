/** Length limits of passwords, in code points: a typed character counts as one unless it is composed of several. */
export const minPasswordLength = 8;
export const maxPasswordLength = 128;

/** As predicates, to follow a subject. */
export const lengthMessages = {
  tooShort: `must have at least ${minPasswordLength} characters`,
  tooLong: `must not be longer than ${maxPasswordLength} characters`,
} as const;

/** In code points as sent: four times as many as a password can have, for letters of several code points. */
const maxTypedLength = 512;

/**
 * The form in which passwords of users are checked and hashed: NFC, since keyboards of different systems send the same
 * letter composed or decomposed (RFC 8265, 4.2). Longer text than any password stays as it is.
 */
export function normalizePassword(password: string): string {
  return countCodePoints(password) > maxTypedLength ? password : password.normalize('NFC');
}

/** Checks only the length, without loading the list of common passwords. */
export function validatePasswordLength(password: string): string | undefined {
  const length = countCodePoints(normalizePassword(password));
  if (length < minPasswordLength) return lengthMessages.tooShort;
  return length > maxPasswordLength ? lengthMessages.tooLong : undefined;
}

/** Whether no password can be that long; it is then compared with no hash. */
export function isPasswordTooLong(password: string): boolean {
  return [password, normalizePassword(password)].every((text) => countCodePoints(text) > maxPasswordLength);
}

export function countCodePoints(text: string): number {
  return [...text].length;
}
