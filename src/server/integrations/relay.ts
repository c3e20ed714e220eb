/** What a way out for messages is: the adapters are in smtp.ts and sms-hook.ts. */

/** A message as it leaves. */
export interface OutgoingMessage {
  /** The same at every try, so that a receiver can tell a second copy. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Relay {
  /** Resolves once the other side has taken the letter. @throws RelayRefusal where it never will; anything else may pass. */
  deliver(letter: OutgoingMessage): Promise<void>;
  close(): void;
}

/** The other side does not take this letter, now or later. The message is for logs: neither address nor text. */
export class RelayRejection extends Error {
  override readonly name = 'RelayRefusal';
}
