/** Masked e-mail addresses: enough to recognize one's own address, not enough to write to someone else's. */

/** `a***@example.com` */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email.slice(0, at);
  return `${at > 1 ? first : ''}***${email.slice(at)}`;
}

/** Whether a text has the form of a masked address. */
export function isMaskedEmail(text: string): boolean {
  return /^[^\s@]?\*{3}@[^\s@]+$/u.test(text);
}
