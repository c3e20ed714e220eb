/** The log: one JSON object per line on standard error, without secrets. */
import { types } from 'node:util';
import { pino, stdSerializers } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  /** Whether `info` is enabled, to avoid building unused lines. */
  readonly infoEnabled: boolean;
}

/** Creates a log. `write` receives complete lines. Errors are logged with type, message and stack only. */
export function createLog(level: string, write: (line: string) => void, now: () => Date): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
    },
    { write: (line: string) => write(escapeControlCharacters(line)) },
  );
  return {
    error: (fields, message) => logger.error(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    info: (fields, message) => logger.info(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
    infoEnabled: logger.isLevelEnabled('info'),
  };
}

/** A log whose lines also contain these fields. */
export function withLogFields(log: Log, fields: LogFields): Log {
  return {
    error: (own, message) => log.error({ ...fields, ...own }, message),
    warn: (own, message) => log.warn({ ...fields, ...own }, message),
    info: (own, message) => log.info({ ...fields, ...own }, message),
    debug: (own, message) => log.debug({ ...fields, ...own }, message),
    infoEnabled: log.infoEnabled,
  };
}

/** Omits other properties of an error, which may contain a query, a row or a secret. */
function serializeError(thrown: unknown): unknown {
  if (!types.isNativeError(thrown)) return String(thrown);
  const { type, message, stack } = stdSerializers.err(thrown);
  return { type, message, stack };
}

/** Escapes control characters that JSON does not escape, but terminals and line readers interpret. */
function escapeControlCharacters(line: string): string {
  return line.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
