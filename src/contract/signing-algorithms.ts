/** The signature algorithms of access tokens (RFC 7518, 3.1; RFC 8037 for EdDSA). */
export const signingAlgorithms = ['ES256', 'RS256', 'RS512', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];
