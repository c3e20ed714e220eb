/** Interface of message relays; the adapters are in smtp.ts and sms-hook.ts. */

export interface OutgoingMessage {
  /** The same in every attempt, so that a receiver can detect duplicates. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Relay {
  /** Resolves when the relay accepts the message. @throws RelayRejection if it never will; other errors are transient. */
  deliver(message: OutgoingMessage): Promise<void>;
  close(): void;
}

/** The relay rejects this message permanently. The error message is for logs and contains neither address nor text. */
export class RelayRejection extends Error {
  override readonly name = 'RelayRejection';
}
