/** Opens the audit log of the settings. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { SettingError, type Settings } from '../config/settings.ts';
import type { Log } from '../lib/log.ts';
import type { AuditSink, AuditSinks } from './audit.ts';
import { openAuditFile } from './file.ts';
import { StreamSink, type WriteLine } from './stream-sink.ts';

export interface AuditDeps {
  readonly log: Log;
  /** Writes to standard error. */
  readonly write: WriteLine;
}

/** Returns undefined if the audit log is off. @throws SettingError if a file is not writable. */
export async function openAudit(settings: Settings, { log, write }: AuditDeps): Promise<AuditSinks | undefined> {
  const target = resolveAuditPath(settings);
  if (target === 'off') return undefined;
  if (target === '-') {
    const sink = new StreamSink(write);
    return { granted: sink, selfService: sink, refused: sink };
  }
  const granted = await openFile(target, log);
  const opened = [granted];
  // A device or a pipe receives all events; with a file, events that anyone can cause have separate files.
  const openBeside = async (kind: string) => {
    const sink = (await stat(target)).isFile() ? await openFile(buildSiblingPath(target, kind), log) : granted;
    opened.push(sink);
    return sink;
  };
  try {
    return { granted, selfService: await openBeside('self-service'), refused: await openBeside('refused') };
  } catch (error) {
    await Promise.all(opened.map((sink) => sink.close()));
    throw error;
  }
}

async function openFile(target: string, log: Log): Promise<AuditSink> {
  try {
    return await openAuditFile({ path: target, log });
  } catch (error) {
    throw new SettingError(`--audit-log ${target} is not writable: ${(error as NodeJS.ErrnoException).code}`);
  }
}

const defaultTargets = { memory: 'off', postgres: '-' } as const;

/** Default: in the folder of the store, off for a store in memory, on standard error for a database. */
function resolveAuditPath({ auditLog, store, data }: Settings): string {
  if (auditLog !== undefined) return ['-', 'off'].includes(auditLog) ? auditLog : path.resolve(auditLog);
  return store === 'file' ? path.resolve(data, 'audit.log') : defaultTargets[store];
}

/** `audit-refused.log` for `audit.log`. */
function buildSiblingPath(target: string, kind: string): string {
  const { dir, name, ext } = path.parse(target);
  return path.join(dir, `${name}-${kind}${ext}`);
}
