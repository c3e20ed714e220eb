/** Normalizes e-mails and login identifiers for comparison: NFC, lower case. */
export function foldIdentifier(value: string): string {
  return value.normalize('NFC').toLowerCase();
}
