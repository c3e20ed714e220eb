/** Bounds the connections by the file descriptors of the process: a store without a free one cannot write. */
import { readFile } from 'node:fs/promises';

/** Where the limit cannot be read. Node raises its limit to at least this many on macOS. */
const DEFAULT_LIMIT = 10_240;

/** For the files of the store, the audit log, connections to other servers, and Node itself. */
const RESERVE = 100;

/** Returns the maximum number of open files of this process. Node raises it to the hard limit at its start. */
export async function readDescriptorLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? DEFAULT_LIMIT : Number(soft);
}

/** Returns how many connections the descriptors permit, at most `maxConnections`. */
export function boundConnections(maxConnections: number, descriptorLimit: number): number {
  const reserve = Math.min(RESERVE, Math.ceil(descriptorLimit / 2));
  return Math.max(1, Math.min(maxConnections, descriptorLimit - reserve));
}
