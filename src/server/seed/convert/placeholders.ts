/** Texts that stand for a value which the file does not contain. No such text becomes a credential. */

/** In the place of the whole value. */
const wholeForms: readonly RegExp[] = [
  /^<[^<>]+>$/,
  /** Of Maven, and of pipelines that replace tokens. */
  /^@{1,2}[\w.-]+@{1,2}$/,
  /^\[\[[^[\]]+\]\]$/,
  /^__\w+__$/,
  /^(?:change|replace)[-_ ]me$/i,
  /** Encrypted, by Jasypt or SOPS. */
  /^ENC[([]/,
  /** In another store of secrets: that of Bank-Vaults, 1Password or vals. */
  /^(?:vault:\S+#|op:\/\/|ref\+\w+:\/\/|secret:\/\/)/,
];

/** Also within a value, as in `https://login-${STAGE}.example`. */
const embeddedForms: readonly RegExp[] = [
  /[$#]\{[^{}]*\}/,
  /\$\([^()]*\)/,
  /\{\{[^{}]*\}\}/,
  /<%[^%]*%>/,
  /<[A-Za-z][\w .-]*>/,
  /(?:^|[/.:_-])\$[A-Z_][A-Z0-9_]*(?![A-Za-z0-9_])/,
  /** Bytes in URIs, such as %C3%A4, have two digits. */
  /%[A-Z_][A-Z0-9_]{2,}%/,
];

/** Whether a text hides a secret, as exports of the console do. */
export function isMask(text: string): boolean {
  return /^\*+$/.test(text);
}

/** Whether a text is a mask, or a variable that another program replaces. */
export function isPlaceholder(text: string): boolean {
  return isMask(text) || [...wholeForms, ...embeddedForms].some((form) => form.test(text));
}

/** Why something with a placeholder is not converted. */
export const placeholderReason = 'is a placeholder: replace it in the file before the import';
