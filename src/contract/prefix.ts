/** Path prefix of the control plane, separate from the service prefix. */
export const controlPrefix = '/_iam';

/** Path prefix of all operations; contains the version of the interface. */
export const servicePrefix = '/security/iam/v1';

/** The header X-Requested-With of requests of the web console, which is below the prefix of the control plane. */
export const consoleRequester = 'iam-console';
