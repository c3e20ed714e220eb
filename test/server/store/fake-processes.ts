/** Fake processes, which can be killed. */

import type { DiskFile } from '../../../src/server/store/file/disk.ts';
import type { KernelLock, Processes } from '../../../src/server/store/file/processes.ts';

/** Pids are never reused, so that a copied lock file refers to no process. */
let pids = 100;

interface Owner {
  readonly pid: number;
  readonly file: DiskFile;
}

export class FakeMachine {
  readonly #hasKernelLock: boolean;
  readonly #running = new Set<number>();
  readonly #owners = new Map<string, Owner>();

  constructor(hasKernelLock = true) {
    this.#hasKernelLock = hasKernelLock;
  }

  /** Starts a process; without a kernel lock it uses the unsafe one. */
  start(): Processes & { kill(): void } {
    pids += 1;
    const pid = pids;
    this.#running.add(pid);
    return {
      self: { pid, bootId: 'boot', startedAt: `start ${pid}` },
      isRunning: async (identity) => this.#running.has(identity.pid),
      kernelLock: this.#hasKernelLock ? (file, mode) => this.#lock({ pid, file }, mode) : undefined,
      allowsUnsafeLock: true,
      kill: () => this.#running.delete(pid),
    };
  }

  /** As the kernel, for exclusive locks: a lock ends with its process, and when its file is closed. */
  async #lock(newcomer: Owner, mode: Parameters<KernelLock>[1]): ReturnType<KernelLock> {
    const identifier = await newcomer.file.identify();
    const owner = this.#owners.get(identifier);
    if (owner !== undefined && this.#running.has(owner.pid) && (await isOpen(owner.file))) return 'taken';
    if (this.#owners.get(identifier) !== owner) return 'taken';
    if (mode === 'exclusive') this.#owners.set(identifier, newcomer);
    return 'acquired';
  }
}

function isOpen(file: DiskFile): Promise<boolean> {
  return file.identify().then(
    () => true,
    () => false,
  );
}
