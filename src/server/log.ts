/** The log: one JSON object a line on standard error, never a secret. Pino encodes control characters in what it is given. */
import { pino } from 'pino';

export type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  error(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  debug(fields: Fields, message: string): void;
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
    },
    { write },
  );
  return {
    error: (fields, message) => logger.error(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    info: (fields, message) => logger.info(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
    infoEnabled: logger.isLevelEnabled('info'),
  };
}
