/** The signature algorithms of access tokens (RFC 7518, 3.1; RFC 8037 for EdDSA), and those of ID tokens. */
export const signingAlgorithms = ['ES256', 'RS256', 'RS512', 'PS256', 'EdDSA'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** Libraries expect the first one by default (OpenID Connect Core, 2). */
export const idTokenAlgorithms = ['RS256', 'ES256'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];
