/** Length limits of passwords, in code points: a typed character counts as one unless it is composed of several. */
export const minPasswordLength = 8;
export const maxPasswordLength = 128;

/** As predicates, to follow a subject. */
export const lengthMessages = {
  tooShort: `must have at least ${minPasswordLength} characters`,
  tooLong: `must not be longer than ${maxPasswordLength} characters`,
} as const;

/** Checks only the length, without loading the list of common passwords. */
export function validatePasswordLength(password: string): string | undefined {
  const length = countCodePoints(password);
  if (length < minPasswordLength) return lengthMessages.tooShort;
  return length > maxPasswordLength ? lengthMessages.tooLong : undefined;
}

/** Whether no password can be that long; it is then compared with no hash. */
export function isPasswordTooLong(password: string): boolean {
  return countCodePoints(password) > maxPasswordLength;
}

export function countCodePoints(text: string): number {
  return [...text].length;
}
