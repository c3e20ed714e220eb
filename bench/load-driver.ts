/** The driver: as many connections as asked for, each with one request under way. */
import { Connection } from './connection.ts';

/**
 * What is sent, over and over. `next` gives the text of one request, and knows the body of the answer before it on the
 * same connection; `status` is the only answer that counts.
 */
export interface Load {
  readonly status: number;
  next(answer: string): string;
}

export interface LoadResult {
  /** Answers in a second while it was driven. */
  readonly perSecond: number;
  /** All answers, those included that were waited for at the end. */
  readonly answers: number;
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
      connection.onAnswer = (status) => this.#answered(connection, status);
      connection.onFailure = (error) => this.#failed(error);
    }
  }

  static async open(port: number, size: number, load: Load): Promise<ConnectionPool> {
    return new ConnectionPool(await Promise.all(Array.from({ length: size }, () => Connection.open(port))), load);
  }

  /** Drives for so long. */
  async drive(milliseconds: number): Promise<LoadResult> {
    this.start();
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const perSecond = (this.#done * 1000) / (performance.now() - startedAt);
    await this.stop();
    return { perSecond, answers: this.#done };
  }

  start(): void {
    this.#running = true;
    this.#spin();
    this.#done = 0;
    this.#busy = this.#connections.length;
    for (const connection of this.#connections) connection.send(this.#load.next(connection.body));
  }

  /** A driver that sleeps has to be woken by the server's system call, and the slower the server the more often. */
  #spin(): void {
    if (this.#running) setImmediate(() => this.#spin());
  }

  /** Waits for what is under way. */
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

  #answered(connection: Connection, status: number): void {
    if (status !== this.#load.status) {
      this.#failed(new Error(`answered ${status}, not ${this.#load.status}`));
      return;
    }
    this.#done += 1;
    if (this.#running) connection.send(this.#load.next(connection.body));
    else this.#release();
  }

  #failed(error: Error): void {
    this.#failure ??= error;
    this.#release();
  }

  #release(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#whenIdle?.();
  }
}
