/** Opens the audit log that the settings name. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../log.ts';
import { SettingError, type Settings } from '../settings.ts';
import type { AuditSink, AuditSinks } from './audit.ts';
import { openAuditFile } from './file.ts';

export interface AuditDeps {
  readonly log: Log;
  /** Takes lines for standard error. */
  write(line: string): void;
}

/** Nothing where it is switched off. @throws SettingError where a file can't be written. */
export async function openAudit(settings: Settings, { log, write }: AuditDeps): Promise<AuditSinks | undefined> {
  const target = resolveAuditPath(settings);
  if (target === 'off') return undefined;
  if (target === '-') {
    const sink: AuditSink = { write, health: () => ({ writable: true, lost: 0 }), close: async () => {} };
    return { granted: sink, selfService: sink, refused: sink };
  }
  const granted = await openFile(target, log);
  const opened = [granted];
  // A device or a pipe takes all; beside a file, what anyone can cause has files of its own.
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
    throw new SettingError(`--audit-log ${target} can't be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Beside the store where nothing else is said; what lives in memory only leaves nothing behind. */
function resolveAuditPath({ auditLog, store, data }: Settings): string {
  if (auditLog !== undefined) return ['-', 'off'].includes(auditLog) ? auditLog : path.resolve(auditLog);
  return store === 'memory' ? 'off' : path.resolve(data, 'audit.log');
}

/** `audit-refused.log` for `audit.log`. */
function buildSiblingPath(target: string, kind: string): string {
  const { dir, name, ext } = path.parse(target);
  return path.join(dir, `${name}-${kind}${ext}`);
}
