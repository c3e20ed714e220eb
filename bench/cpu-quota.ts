/** Limits the CPU time of single processes, as containers do: a cgroup (version 1) for each. Linux only, as root. */
import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const controller = '/sys/fs/cgroup/cpu';
const periodUs = 100_000;

/** @returns why no limit can be set on this machine; undefined if it can */
export function findQuotaProblem(): string | undefined {
  try {
    accessSync(path.join(controller, 'cpu.cfs_quota_us'), constants.F_OK);
    accessSync(controller, constants.W_OK);
    return undefined;
  } catch {
    return `${controller} of cgroup version 1 is missing or not writable`;
  }
}

/** Limits a running process to this share of one core. @returns what ends the limit */
export function limitCpu(pid: number, share: number): () => void {
  const folder = path.join(controller, `iam-bench-${pid}`);
  mkdirSync(folder);
  const write = (file: string, value: number) => writeFileSync(path.join(folder, file), String(value));
  write('cpu.cfs_period_us', periodUs);
  write('cpu.cfs_quota_us', Math.round(periodUs * share));
  write('cgroup.procs', pid);
  return () => {
    writeFileSync(path.join(controller, 'cgroup.procs'), String(pid));
    rmdirSync(folder);
  };
}
