/**
 * The credentials of the console. They stay in memory: a reload deletes them. A server without remote access requires none
 * on the control plane; for the operations of the interface it issues a token to the console.
 */

export interface CallerRoles {
  readonly roles: readonly string[];
  readonly scope: readonly string[];
}

/** The response to a login. */
export interface LoginResult {
  readonly accessToken: string;
  /** Who logged in, as shown in the top bar. */
  readonly subject: string;
}

/** The login of an administrator, with the roles that the token had then. */
export interface AdministratorToken extends LoginResult {
  readonly caller: CallerRoles;
}

export interface CredentialStore {
  get(): AdministratorToken | undefined;
  /** Whether the server rejected a request without credentials, or with these. */
  isLoginRequired(): boolean;
  set(credentials: AdministratorToken | undefined): void;
  /**
   * Asks for a login, unless the rejected credentials were replaced since.
   * @param rejectedToken undefined for a request without credentials
   */
  requireLogin(rejectedToken: string | undefined): void;
  /** Calls the listener after each change. @returns a function that removes it */
  subscribe(listener: () => void): () => void;
}

export function createCredentialStore(): CredentialStore {
  let current: AdministratorToken | undefined;
  let isRequired = false;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    get: () => current,
    isLoginRequired: () => isRequired,
    set(credentials) {
      current = credentials;
      isRequired = false;
      notify();
    },
    requireLogin(rejectedToken) {
      if (isRequired || current?.accessToken !== rejectedToken) return;
      isRequired = true;
      notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
