/** The process interface of the lock. */

/** Identifies a process uniquely, also if its pid is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Changes with every boot. */
  readonly bootId: string;
  /** The start time of the process, in a format of the system. */
  readonly startedAt: string;
}

/** 'unsupported' if the system has no abstract sockets. */
export type NameLock = 'taken' | 'unsupported' | { release(): Promise<void> };

export interface Processes {
  readonly self: ProcessIdentity;
  isRunning(identity: ProcessIdentity): Promise<boolean>;
  /** Acquires a name exclusively, until it is released or this process ends. */
  acquire(name: string): Promise<NameLock>;
}
