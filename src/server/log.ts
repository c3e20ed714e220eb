/** The log: one JSON object a line on standard error, never a secret. */
import { pino, stdSerializers } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  /** Whether `info` lines go anywhere, so that nobody builds them in vain. */
  readonly infoEnabled: boolean;
}

/** `write` gets whole lines. Errors are logged by name, message, stack and cause; nothing else of them. */
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

/** What else an error carries may be what it failed on: a query, a row, a secret. */
function serializeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return String(thrown);
  const { type, message, stack } = stdSerializers.err(thrown);
  return { type, message, stack };
}

/** JSON leaves these as they are in texts, and outside of texts there are none; terminals and line readers obey them. */
function escapeControlCharacters(line: string): string {
  return line.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
