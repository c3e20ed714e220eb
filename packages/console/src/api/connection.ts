/**
 * The requests to the service that the console shows. A sandbox can be deleted under the page. Reads then wait until it
 * exists again, so that what the page shows, and what was typed in it, remains; changes are rejected.
 */
import type { ConsoleLocation } from './location.ts';

export interface Connection {
  readonly fetch: typeof fetch;
  isSandboxDeleted(): boolean;
  /** Calls the listener when it is deleted or exists again. @returns a function that removes it */
  subscribe(listener: () => void): () => void;
  /** After the sandbox was created again: sends the reads that wait. */
  resume(): void;
}

export function createConnection({ sandbox }: ConsoleLocation): Connection {
  let isDeleted = false;
  const listeners = new Set<() => void>();
  const setDeleted = (value: boolean) => {
    isDeleted = value;
    for (const listener of [...listeners]) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  function untilResumed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const unsubscribe = subscribe(() => {
        if (isDeleted) return;
        unsubscribe();
        resolve();
      });
      signal.addEventListener('abort', () => {
        unsubscribe();
        reject(signal.reason);
      });
    });
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      if (sandbox === undefined) return fetch(request);
      for (;;) {
        if (isDeleted && request.method === 'GET') await untilResumed(request.signal);
        const response = await fetch(request.clone());
        if (response.status !== 404 || !(await namesSandbox(response.clone()))) return response;
        setDeleted(true);
        if (request.method !== 'GET') return response;
      }
    },
    isSandboxDeleted: () => isDeleted,
    subscribe,
    resume: () => setDeleted(false),
  };
}

/** Whether the sandbox is what was not found. */
async function namesSandbox(response: Response): Promise<boolean> {
  const items: unknown = await response.json().catch(() => undefined);
  return Array.isArray(items) && items.some((item: { readonly code?: unknown }) => item?.code === 'SANDBOX_NOT_FOUND');
}
