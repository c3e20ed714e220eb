/** Path prefix of the control plane, separate from the service prefix. */
export const controlPrefix = '/_iam';

/** Path prefix of all operations; contains the version of the interface. */
export const servicePrefix = '/security/iam/v1';
