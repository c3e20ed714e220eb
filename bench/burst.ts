/** Sends requests concurrently and others at a steady rate, and records status and time of each. */
import { Connection } from './connection.ts';

export interface ResponseTiming {
  readonly status: number;
  readonly milliseconds: number;
  readonly retryAfter: string | undefined;
}

/** Opens connections in batches: with a full backlog, some would retry a second later. */
export async function openConnections(port: number, count: number): Promise<Connection[]> {
  const opened: Connection[] = [];
  const batchSize = 100;
  while (opened.length < count) {
    const batch = Math.min(batchSize, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: batch }, () => Connection.open(port)))));
  }
  return opened;
}

/** Sends one request and waits for its response. */
export function sendOn(connection: Connection, request: string): Promise<ResponseTiming> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    connection.onFailure = reject;
    connection.onResponse = (status) =>
      resolve({ status, milliseconds: performance.now() - sentAt, retryAfter: connection.header('Retry-After') });
    connection.send(request);
  });
}

/** Sends a request at a fixed interval, without waiting for responses (open loop). */
export class SteadySender {
  readonly #idle: Connection[];
  readonly #sent: Promise<ResponseTiming>[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(connections: readonly Connection[], request: string, everyMs: number) {
    this.#idle = [...connections];
    this.#timer = setInterval(() => this.#send(request), everyMs);
  }

  /** Stops sending. @returns the timings of all requests, when all have a response. */
  stop(): Promise<ResponseTiming[]> {
    clearInterval(this.#timer);
    return Promise.all(this.#sent);
  }

  #send(request: string): void {
    const connection = this.#idle.pop();
    if (!connection) throw new Error('no idle connection: the server responds too slowly');
    const sent = sendOn(connection, request);
    this.#sent.push(sent);
    void sent.then(
      () => this.#idle.push(connection),
      () => {},
    );
  }
}
