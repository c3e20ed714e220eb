/**
 * The credentials of the console. They stay in memory: a reload deletes them. A server without remote access requires none
 * on the control plane; for the operations of the interface it issues a token to the console.
 */

export interface AdministratorToken {
  /** The access token of the administrator who logged in; undefined on a server that requires no login. */
  readonly accessToken: string;
  /** Who logged in, as shown in the top bar. */
  readonly subject: string;
}

export interface CredentialStore {
  get(): AdministratorToken | undefined;
  /** Whether the server rejected a request without credentials, or with these. */
  isLoginRequired(): boolean;
  set(credentials: AdministratorToken | undefined): void;
  requireLogin(): void;
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
    requireLogin() {
      if (isRequired) return;
      isRequired = true;
      notify();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
