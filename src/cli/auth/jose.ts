/** Re-exports jose, which only `iam token verify` loads. */
export { createLocalJWKSet, jwtVerify } from 'jose';
