/** Usual names of fields with credentials. Only tests decide by names; the product decides by the schemas. */

/** Whether a field of this name usually contains a secret. */
export function looksSecret(name: string): boolean {
  return /(password|secret|apikey|token)$/i.test(name);
}

const oneTime =
  /(code|otp|pin|hash|signature|saml|nonce|challenge|assertion|authorization|api[-_]?key|deviceTokenId|^param$|^text$|link$|proof)/i;

/** Whether a field of this name usually contains a secret or a one-time credential. */
export function looksSensitive(name: string): boolean {
  return looksSecret(name) || oneTime.test(name);
}
