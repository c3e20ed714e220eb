/** The initial credentials. */
export interface ServerCredentials {
  /** The administrator client. */
  readonly adminClientId: string;
  readonly adminClientSecret: string;
  /** The client that users sign in through. It has no secret. */
  readonly appClientId: string;
  /** The administrator user. */
  readonly adminUser: string;
  readonly adminPassword: string;
}
