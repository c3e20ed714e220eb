/** The process interface of the lock. */
import type { DiskFile } from './disk.ts';

/** Identifies a process uniquely, also if its pid is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Changes with every boot. */
  readonly bootId: string;
  /** The start time of the process, in a format of the system. */
  readonly startedAt: string;
  /** The namespace of the pid: containers on one machine have different ones. */
  readonly namespace?: string | undefined;
  readonly host?: string | undefined;
}

/**
 * Locks an open file in the kernel, without waiting, until it is closed or this process ends. 'unsupported' if its file
 * system has no locks.
 */
export type KernelLock = (
  file: DiskFile,
  mode: 'exclusive' | 'shared',
) => Promise<'acquired' | 'taken' | 'unsupported'>;

export interface Processes {
  readonly self: ProcessIdentity;
  isRunning(identity: ProcessIdentity): Promise<boolean>;
  /** Undefined if this system has no build of it. */
  readonly kernelLock: KernelLock | undefined;
  /** Whether a store may be opened without the kernel lock, if there is none. */
  readonly allowsUnsafeLock: boolean;
}
