/** The tables of test tokens, which are made wrong on purpose. */
import { signingAlgorithms } from '../signing-algorithms.ts';

/** `none` has no signature; HS256 is keyed with the public key; another algorithm than that of the server has another key. */
export const testTokenAlgorithms = [...signingAlgorithms, 'HS256', 'none'] as const;
export type TestTokenAlgorithm = (typeof testTokenAlgorithms)[number];

export const testTokenSignatures = ['broken', 'wrong-key'] as const;

/** Claims that a test token can lack. */
export const omittableClaims = [
  ...['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'scope', 'authorities', 'client_id', 'app_id'],
  ...['user_id', 'business_id', 'customer_id', 'service_id', 'logon', 'organization_id', 'business_unit_id'],
];

/** Claims that stay as they are: they bind the token to its session or client, limit it, and mark it as one of a stand-in. */
export const fixedClaims = ['sid', 'narrowed', 'generation', 'stand_in'];

/** Seconds: a day. */
export const maxTestTokenLifetime = 86_400;
