/** Requests that come all at once, and others that come steadily meanwhile: each with its status and how long it took. */
import { Connection } from './connection.ts';

export interface ResponseTiming {
  readonly status: number;
  readonly milliseconds: number;
  readonly retryAfter: string | undefined;
}

/** Opens so many connections, not all of them at once: a full backlog would have some knock again a second later. */
export async function openConnections(port: number, count: number): Promise<Connection[]> {
  const opened: Connection[] = [];
  const together = 100;
  while (opened.length < count) {
    const missing = Math.min(together, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: missing }, () => Connection.open(port)))));
  }
  return opened;
}

/** Sends one request and waits for its answer. */
export function sendOn(connection: Connection, request: string): Promise<ResponseTiming> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    connection.onFailure = reject;
    connection.onAnswer = (status) =>
      resolve({ status, milliseconds: performance.now() - sentAt, retryAfter: connection.header('Retry-After') });
    connection.send(request);
  });
}

/** Sends a request every few milliseconds, whether or not the one before was answered, until it is told to stop. */
export class SteadySender {
  readonly #idle: Connection[];
  readonly #sent: Promise<ResponseTiming>[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(connections: readonly Connection[], request: string, everyMs: number) {
    this.#idle = [...connections];
    this.#timer = setInterval(() => this.#send(request), everyMs);
  }

  /** All that was sent, when all of it is answered. */
  stop(): Promise<ResponseTiming[]> {
    clearInterval(this.#timer);
    return Promise.all(this.#sent);
  }

  #send(request: string): void {
    const connection = this.#idle.pop();
    if (!connection) throw new Error('too few connections: the server answers far too late');
    const sent = sendOn(connection, request);
    this.#sent.push(sent);
    void sent.then(
      () => this.#idle.push(connection),
      () => {},
    );
  }
}
