/** A store that is used for some rounds and then begun anew. What a round left is checked by the start after it. */
import { LoadGenerator } from './load-generator.ts';
import { ServerProcess } from './server-process.ts';
import { DelayedError } from './suite.ts';

const WRITERS = 8;
/** So many cycles share a store: the list of what must be there grows with each. */
const CYCLES_PER_STORE = 20;

export class StoreSeries {
  readonly #parent: string;
  readonly #plant: string | undefined;
  /** After a clean stop, nothing is there that was not answered. */
  readonly #exact: boolean;
  #cycles = 0;
  #number = 0;
  /** On the stores before this one. */
  #acknowledgedBefore = 0;
  /** The seed of the last round whose load was not checked yet. */
  #uncheckedSeed: number | undefined;
  /** Of the key that signed when a server was asked last: tokens live longer than any round. */
  #keyId: string | undefined;
  load = new LoadGenerator(WRITERS);

  constructor(parent: string, seededBug: string | undefined, exact: boolean) {
    this.#parent = parent;
    this.#plant = seededBug;
    this.#exact = exact;
  }

  /** The folder of the store that is used now. */
  get store(): string {
    return `${this.#parent}/${this.#number}/store`;
  }

  /** Goes on with the store, or, where it was used long enough, with another one. */
  async next(): Promise<void> {
    if (this.#cycles % CYCLES_PER_STORE === 0) await this.switchStore();
    this.#cycles += 1;
  }

  /** Checks the store for the last time, and takes another one. */
  async switchStore(): Promise<void> {
    await this.close();
    this.#number += 1;
    this.#keyId = undefined;
    this.#acknowledgedBefore = this.acknowledged;
    this.load = new LoadGenerator(WRITERS);
  }

  /** How many operations were answered on all stores. */
  get acknowledged(): number {
    return this.#acknowledgedBefore + this.load.acknowledged;
  }

  /** Whether no server was on the store yet. */
  get isNew(): boolean {
    return this.#uncheckedSeed === undefined;
  }

  /** Waits for a server on the store, and checks what the round before left. @throws LateError. */
  async start(server: ServerProcess, seed: number): Promise<void> {
    try {
      await server.ready();
      await this.#check(server);
      this.#uncheckedSeed = seed;
    } catch (error) {
      const failed = this.#uncheckedSeed === undefined ? error : new DelayedError(error as Error, this.#uncheckedSeed);
      // Who is killed before it is ready has checked nothing: what was left is still to be checked.
      this.#uncheckedSeed ??= seed;
      throw failed;
    }
  }

  /** Checks what the last round left. @throws LateError. */
  async close(): Promise<void> {
    if (this.#uncheckedSeed === undefined) return;
    const server = ServerProcess.either(this.store, this.#plant, false);
    try {
      await this.start(server, this.#uncheckedSeed);
    } finally {
      this.#uncheckedSeed = undefined;
      await server.kill();
    }
  }

  /** All that was answered is there, and what was signed can still be verified. */
  async #check(server: ServerProcess): Promise<void> {
    const client = server.client();
    if (this.#exact) await this.load.assertExact(client);
    await this.load.resume(client);
    const known = await server.keyIds();
    if (this.#keyId !== undefined && !known.includes(this.#keyId))
      throw new Error(`tokens of the start before can't be verified: the key ${this.#keyId} is gone`);
    this.#keyId = known[0];
  }
}
