/** Opens the audit log that the settings name. */
import path from 'node:path';
import type { Log } from '../log.ts';
import { SettingError, type Settings } from '../settings.ts';
import type { AuditSink } from './audit.ts';
import { openAuditFile } from './file.ts';

export interface AuditParts {
  readonly log: Log;
  /** Takes lines for standard error. */
  write(line: string): void;
}

/** Nothing where it is switched off. @throws SettingError where the file can't be written. */
export async function openAudit(settings: Settings, { log, write }: AuditParts): Promise<AuditSink | undefined> {
  const place = auditPlace(settings);
  if (place === 'off') return undefined;
  if (place === '-') return { write, health: () => ({ writable: true, lost: 0 }), close: async () => {} };
  try {
    return await openAuditFile({ path: place, log });
  } catch (error) {
    throw new SettingError(`--audit-log ${place} can't be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Beside the store where nothing else is said; what lives in memory only leaves nothing behind. */
function auditPlace({ auditLog, store, data }: Settings): string {
  if (auditLog !== undefined) return ['-', 'off'].includes(auditLog) ? auditLog : path.resolve(auditLog);
  return store === 'memory' ? 'off' : path.resolve(data, 'audit.log');
}
