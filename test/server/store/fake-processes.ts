/** Processes of a fake machine, which can be killed. */
import type { NameLock, Processes } from '../../../src/server/store/json/processes.ts';

/** No number is given out twice, so that a copied lock file names nobody. */
let pids = 100;

export class FakeMachine {
  readonly #sockets: boolean;
  readonly #running = new Set<number>();
  readonly #held = new Map<string, number>();

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
      acquire: async (name) => this.#hold(name, pid),
      kill: () => this.#running.delete(pid),
    };
  }

  #hold(name: string, pid: number): NameLock {
    if (!this.#sockets) return 'unsupported';
    const holder = this.#held.get(name);
    if (holder !== undefined && this.#running.has(holder)) return 'taken';
    this.#held.set(name, pid);
    return { release: async () => void this.#held.delete(name) };
  }
}
