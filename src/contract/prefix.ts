/** The path before every operation's; the version of the interface is part of it. */
export const servicePrefix = '/security/iam/v1';
