/** What the lock needs to know about processes. */

/** One process, told from any other that had or will have its number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Changes with every start of the machine. */
  readonly bootId: string;
  /** When the process was started, in whatever terms the system has. */
  readonly startedAt: string;
}

/** 'unsupported' where the system has no names that vanish with their holder. */
export type NameLock = 'taken' | 'unsupported' | { release(): Promise<void> };

export interface Processes {
  readonly self: ProcessIdentity;
  isRunning(identity: ProcessIdentity): Promise<boolean>;
  /** Holds a name as long as this process lives, so that no other one can. */
  acquire(name: string): Promise<NameLock>;
}
