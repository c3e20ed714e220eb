/** Audit log on a stream of the process, such as standard error, whose reader may be slow. */
import { systemTimer, type Timer } from '../lib/timer.ts';
import type { AuditHealth, AuditSink } from './audit.ts';
import { WriteAttempt } from './write-attempt.ts';

/** Writes a line, and calls `onWritten` when the operating system has it or the write has failed. */
export type WriteLine = (line: string, onWritten: () => void) => void;

export class StreamSink implements AuditSink {
  readonly #write: WriteLine;
  readonly #timer: Timer;
  #unwritten = 0;
  #attempt: WriteAttempt | undefined;
  /** Whether requests do not wait, since the stream has accepted nothing for too long. */
  #hangs = false;

  constructor(write: WriteLine, timer: Timer = systemTimer) {
    this.#write = write;
    this.#timer = timer;
  }

  write(line: string): void {
    this.#unwritten += 1;
    this.#write(line, () => {
      this.#unwritten -= 1;
      this.#hangs = false;
      if (this.#unwritten === 0) this.#endAttempt();
    });
  }

  flush(): Promise<void> {
    if (this.#unwritten === 0 || this.#hangs) return Promise.resolve();
    this.#attempt ??= new WriteAttempt(this.#timer, () => {
      this.#hangs = true;
      this.#endAttempt();
    });
    return this.#attempt.ended;
  }

  health(): AuditHealth {
    return { writable: !this.#hangs, lost: 0 };
  }

  close(): Promise<void> {
    return this.flush();
  }

  #endAttempt(): void {
    this.#attempt?.end();
    this.#attempt = undefined;
  }
}
