/** Contacts as they are shown to who is not meant to read them. */

/** `a***@example.com`: enough to tell one's own address, not enough to write to another's. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email.slice(0, at);
  return `${at > 1 ? first : ''}***${email.slice(at)}`;
}
