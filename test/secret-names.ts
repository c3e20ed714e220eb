/** Names that fields with credentials usually have. Only tests go by names: the product goes by the schemas. */

/** Whether a field of this name usually holds a credential that nobody types in clear. */
export function looksSecret(name: string): boolean {
  return /(password|secret|apikey|token)$/i.test(name);
}

const oneTime =
  /(code|otp|pin|hash|signature|saml|nonce|challenge|assertion|authorization|api[-_]?key|deviceTokenId|^param$|^text$|link$|proof)/i;

/** Whether a field of this name usually holds a credential, or what proves something once. */
export function looksSensitive(name: string): boolean {
  return looksSecret(name) || oneTime.test(name);
}
