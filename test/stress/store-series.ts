/** Uses a store for several rounds and then switches to a new one. Each start verifies the result of the round before. */
import { LoadGenerator } from './load-generator.ts';
import { ServerProcess } from './server-process.ts';
import { DelayedError } from './suite.ts';

const WRITERS = 8;
/** Rounds that share a store: the expected content, which each start compares, grows with every round. */
const CYCLES_PER_STORE = 20;

export class StoreSeries {
  readonly #parent: string;
  readonly #seededBug: string | undefined;
  /** After a clean stop, the store contains acknowledged operations only. */
  readonly #exact: boolean;
  #cycles = 0;
  #number = 0;
  /** Operations on the previous stores. */
  #acknowledgedBefore = 0;
  /** The seed of the last round that was not verified yet. */
  #uncheckedSeed: number | undefined;
  /** The signing key at the last check; tokens live longer than a round, so it must stay published. */
  #keyId: string | undefined;
  load = new LoadGenerator(WRITERS);

  constructor(parent: string, seededBug: string | undefined, exact: boolean) {
    this.#parent = parent;
    this.#seededBug = seededBug;
    this.#exact = exact;
  }

  /** The folder of the current store. */
  get store(): string {
    return `${this.#parent}/${this.#number}/store`;
  }

  /** Starts the next round, on a new store after `CYCLES_PER_STORE` rounds. */
  async next(): Promise<void> {
    if (this.#cycles % CYCLES_PER_STORE === 0) await this.switchStore();
    this.#cycles += 1;
  }

  /** Verifies the store a last time and switches to a new one. */
  async switchStore(): Promise<void> {
    await this.close();
    this.#number += 1;
    this.#keyId = undefined;
    this.#acknowledgedBefore = this.acknowledged;
    this.load = new LoadGenerator(WRITERS);
  }

  /** The number of acknowledged operations on all stores. */
  get acknowledged(): number {
    return this.#acknowledgedBefore + this.load.acknowledged;
  }

  /** Whether no server has used the store yet. */
  get isNew(): boolean {
    return this.#uncheckedSeed === undefined;
  }

  /** Waits for the server and verifies the previous round. @throws DelayedError if that round lost something. */
  async start(server: ServerProcess, seed: number): Promise<void> {
    try {
      await server.ready();
      await this.#check(server);
      this.#uncheckedSeed = seed;
    } catch (error) {
      const failed = this.#uncheckedSeed === undefined ? error : new DelayedError(error as Error, this.#uncheckedSeed);
      // A server that is killed before it is ready has verified nothing: the previous round stays unchecked.
      this.#uncheckedSeed ??= seed;
      throw failed;
    }
  }

  /** Verifies the last round. @throws DelayedError if it lost something. */
  async close(): Promise<void> {
    if (this.#uncheckedSeed === undefined) return;
    const server = ServerProcess.either(this.store, this.#seededBug, false);
    try {
      await this.start(server, this.#uncheckedSeed);
    } finally {
      this.#uncheckedSeed = undefined;
      await server.kill();
    }
  }

  /** Verifies that acknowledged operations are stored and that the previous signing key is still published. */
  async #check(server: ServerProcess): Promise<void> {
    const client = server.client();
    if (this.#exact) await this.load.assertExact(client);
    await this.load.resume(client);
    const known = await server.keyIds();
    if (this.#keyId !== undefined && !known.includes(this.#keyId))
      throw new Error(`tokens of the previous start cannot be verified: the key ${this.#keyId} is missing`);
    this.#keyId = known[0];
  }
}
