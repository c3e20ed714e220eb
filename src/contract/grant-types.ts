/** The grant types of the token endpoints, by their names in OAuth 2.0 (RFC 6749, 4.3, 4.4 and 6). */
export const grantTypes = ['client_credentials', 'password', 'refresh_token'] as const;

export type GrantType = (typeof grantTypes)[number];

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** Logins with a browser (RFC 6749, 4.1), and of devices without one (RFC 8628, 3.4). */
export const loginGrantTypes = ['authorization_code', deviceGrantType] as const;

export type LoginGrantType = (typeof loginGrantTypes)[number];

/** Those of /oauth2/token. */
export const oauthGrantTypes = [...grantTypes, ...loginGrantTypes] as const;

export type OAuthGrantType = (typeof oauthGrantTypes)[number];
