/** Which fields hold what nobody must see, by their names. */

/** Whether a field of this name holds something that must not be seen. */
export function isSecretName(name: string): boolean {
  return /(password|secret|apikey|token)$/i.test(name);
}

const proofs =
  /^(code|validationCode|(auth|mfa)_?code|otp|pin|hash|skuPriceHashCode|signature|saml_?response|nonce|challengeId|deviceTokenId|(client_?)?assertion|authorization|x-api-key|api_key)$/i;

/** The same, and what proves something only once: it is typed as it is, but kept nowhere that is looked at later. */
export function isHiddenName(name: string): boolean {
  return isSecretName(name) || proofs.test(name);
}
