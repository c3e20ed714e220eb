/**
 * The requests to the service that the console shows. A sandbox can be deleted under the page. Reads then wait until it
 * exists again, so that what the page shows, and what was typed in it, remains. Writes never wait: one that was given up
 * would be sent later.
 */
import type { ConsoleLocation } from './location.ts';

type Send = (request: Request) => Promise<Response>;

export interface Connection {
  /** Reads wait while the sandbox is deleted. */
  readonly fetch: typeof fetch;
  /** Sends at once, also a read: for a write. */
  readonly send: Send;
  /** Like `fetch`, with another way to send. */
  sendOrWait(request: Request, send: Send): Promise<Response>;
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
    if (isDeleted === value) return;
    isDeleted = value;
    for (const listener of [...listeners]) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  async function untilResumed(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
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

  async function send(request: Request): Promise<Response> {
    const response = await fetch(request);
    if (sandbox !== undefined) setDeleted(response.status === 404 && (await namesSandbox(response.clone())));
    return response;
  }

  async function sendOrWait(request: Request, sendOnce: Send): Promise<Response> {
    if (request.method !== 'GET') return sendOnce(request);
    for (;;) {
      if (isDeleted) await untilResumed(request.signal);
      const response = await sendOnce(request.clone()).catch((error: unknown) => {
        if (!isDeleted) throw error;
        return undefined;
      });
      if (response && (response.ok || !isDeleted)) return response;
    }
  }

  return {
    fetch: (input, init) => sendOrWait(new Request(input, init), send),
    send,
    sendOrWait,
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
