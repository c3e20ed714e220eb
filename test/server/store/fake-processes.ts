/** Fake processes, which can be killed. */
import type { NameLock, Processes } from '../../../src/server/store/file/processes.ts';

/** Pids are never reused, so that a copied lock file refers to no process. */
let pids = 100;

export class FakeMachine {
  readonly #sockets: boolean;
  readonly #running = new Set<number>();
  readonly #owners = new Map<string, number>();

  constructor(sockets = true) {
    this.#sockets = sockets;
  }

  start(): Processes & { kill(): void } {
    pids += 1;
    const pid = pids;
    this.#running.add(pid);
    return {
      self: { pid, bootId: 'boot', startedAt: `start ${pid}` },
      isRunning: async (identity) => this.#running.has(identity.pid),
      acquire: async (name) => this.#acquire(name, pid),
      kill: () => this.#running.delete(pid),
    };
  }

  #acquire(name: string, pid: number): NameLock {
    if (!this.#sockets) return 'unsupported';
    const owner = this.#owners.get(name);
    if (owner !== undefined && this.#running.has(owner)) return 'taken';
    this.#owners.set(name, pid);
    return { release: async () => void this.#owners.delete(name) };
  }
}
