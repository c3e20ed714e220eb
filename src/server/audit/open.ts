/** Opens the audit log of the settings. */
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileTrust } from '../../lib/file-trust.ts';
import { SettingError, type Settings } from '../config/settings.ts';
import type { Log } from '../lib/log.ts';
import type { AuditSink, AuditSinks } from './audit.ts';
import type { AuditEvent } from './event.ts';
import { openAuditFile } from './file.ts';
import type { AuditFiles } from './history.ts';
import { StreamSink, type WriteLine } from './stream-sink.ts';

export interface AuditDeps {
  readonly log: Log;
  /** Writes to standard error. */
  readonly write: WriteLine;
  /** Decides whether an existing file may be continued. */
  readonly trust: FileTrust;
}

/** The sinks, and the files that they write, if these can be read. */
export interface OpenedAudit extends AuditSinks {
  readonly files?: AuditFiles;
}

/** Returns undefined if the audit log is off. @throws SettingError if a file is not writable, or is no audit log. */
export async function openAudit(
  settings: Settings,
  { log, write, trust }: AuditDeps,
): Promise<OpenedAudit | undefined> {
  const target = resolveAuditPath(settings);
  if (target === 'off') return undefined;
  if (target === '-') {
    const sink = new StreamSink(write);
    return { granted: sink, selfService: sink, refused: sink };
  }
  const granted = await openFile(target, { log, trust });
  const opened = [granted];
  const openBeside = async (name: string) => {
    const sink = await openFile(name, { log, trust });
    opened.push(sink);
    return sink;
  };
  try {
    // A device or a pipe receives all events; with a file, events that anyone can cause have separate files.
    if (!(await stat(target)).isFile()) return { granted, selfService: granted, refused: granted };
    const files = {
      granted: target,
      selfService: buildSiblingPath(target, 'self-service'),
      refused: buildSiblingPath(target, 'refused'),
    };
    const selfService = await openBeside(files.selfService);
    return { granted, selfService, refused: await openBeside(files.refused), files };
  } catch (error) {
    await Promise.all(opened.map((sink) => sink.close()));
    throw error;
  }
}

async function openFile(target: string, { log, trust }: Pick<AuditDeps, 'log' | 'trust'>): Promise<AuditSink> {
  const problem = trust.findProblem([target], 'data');
  if (problem) throw new SettingError(`--audit-log: ${problem.message}. ${problem.hint}`);
  if (!(await isAuditFile(target)))
    throw new SettingError(`--audit-log ${target} exists and is not an audit log; name another file`);
  try {
    return await openAuditFile({ path: target, log });
  } catch (error) {
    throw new SettingError(`--audit-log ${target} is not writable: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** More than the first event of a file takes. */
const maxEventBytes = 64 * 1024;

/** A seed can name the file, too, so only a new file or an audit log is appended to. */
async function isAuditFile(target: string): Promise<boolean> {
  const isFile = await stat(target).then(
    (found) => found.isFile() && found.size > 0,
    () => false,
  );
  if (!isFile) return true;
  const handle = await open(target, 'r').catch(() => undefined);
  // Opening it for writing reports why.
  if (handle === undefined) return true;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxEventBytes), 0, maxEventBytes, 0);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // A kill may have left an incomplete line.
    return lines.some(isEvent) || (lines.length === 1 && buffer[0] === 0x7b);
  } finally {
    await handle.close();
  }
}

function isEvent(line: string): boolean {
  try {
    const { time, event } = JSON.parse(line) as Partial<AuditEvent>;
    return typeof time === 'string' && typeof event === 'string';
  } catch {
    return false;
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
