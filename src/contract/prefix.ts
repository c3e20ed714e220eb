/** Path prefix of all operations; contains the version of the interface. */
export const servicePrefix = '/security/iam/v1';
