/** The package that checks signatures, in a file of its own: only `iam token verify` loads it. */
export { createLocalJWKSet, jwtVerify } from 'jose';
