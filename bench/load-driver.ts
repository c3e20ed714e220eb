/** The load driver: a pool of connections with one request in flight each. */
import { Connection } from './connection.ts';

/**
 * A repeated request. `next` returns the next request, from the body of the previous response on the same connection;
 * any status other than `status` is an error.
 */
export interface Load {
  readonly status: number;
  next(previousBody: string): string;
}

export interface LoadResult {
  /** Responses per second during the run. */
  readonly perSecond: number;
  /** All responses, including those awaited at the end. */
  readonly responses: number;
}

export class ConnectionPool {
  readonly #connections: Connection[];
  readonly #load: Load;
  #running = false;
  #done = 0;
  #busy = 0;
  #failure: Error | undefined;
  #whenIdle: (() => void) | undefined;

  private constructor(connections: Connection[], load: Load) {
    this.#connections = connections;
    this.#load = load;
    for (const connection of connections) {
      connection.onResponse = (status) => this.#onResponse(connection, status);
      connection.onFailure = (error) => this.#onFailure(error);
    }
  }

  static async open(port: number, size: number, load: Load): Promise<ConnectionPool> {
    return new ConnectionPool(await Promise.all(Array.from({ length: size }, () => Connection.open(port))), load);
  }

  /** Runs the load for this time. */
  async drive(milliseconds: number): Promise<LoadResult> {
    this.start();
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const perSecond = (this.#done * 1000) / (performance.now() - startedAt);
    await this.stop();
    return { perSecond, responses: this.#done };
  }

  start(): void {
    this.#running = true;
    this.#spin();
    this.#done = 0;
    this.#busy = this.#connections.length;
    for (const connection of this.#connections) connection.send(this.#load.next(connection.body));
  }

  /** Keeps the driver busy: waking a sleeping driver costs the server system calls, more so for a slow server. */
  #spin(): void {
    if (this.#running) setImmediate(() => this.#spin());
  }

  /** Waits for the requests in flight. */
  async stop(): Promise<void> {
    this.#running = false;
    if (this.#busy > 0)
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    if (this.#failure) throw this.#failure;
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #onResponse(connection: Connection, status: number): void {
    if (status !== this.#load.status) {
      this.#onFailure(new Error(`got status ${status}, expected ${this.#load.status}`));
      return;
    }
    this.#done += 1;
    if (this.#running) connection.send(this.#load.next(connection.body));
    else this.#release();
  }

  #onFailure(error: Error): void {
    this.#failure ??= error;
    this.#release();
  }

  #release(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#whenIdle?.();
  }
}
