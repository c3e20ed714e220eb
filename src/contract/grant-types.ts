/** The grant types of the token endpoints, by their names in OAuth 2.0 (RFC 6749, 4.3, 4.4 and 6). */
export const grantTypes = ['client_credentials', 'password', 'refresh_token'] as const;

export type GrantType = (typeof grantTypes)[number];

/** Those of /oauth2/token: also a login with a browser (RFC 6749, 4.1). */
export const oauthGrantTypes = [...grantTypes, 'authorization_code'] as const;

export type OAuthGrantType = (typeof oauthGrantTypes)[number];
