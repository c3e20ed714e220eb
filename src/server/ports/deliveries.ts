/**
 * Takes messages that wait in the store to the relay of their channel, one after the other. What is marked there is what
 * counts: a stop or a crash loses none, and at worst repeats the one that was just under way.
 */
import type { Clock } from '../clock.ts';
import { textOf, withoutCode } from '../identity/messages.ts';
import type { StoreKey } from '../identity/store-key.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Message } from '../store/tables.ts';
import { type Relay, RelayRefusal } from './relay.ts';
import type { Timer } from './timer.ts';

export interface DeliveryParts {
  readonly store: Store;
  readonly storeKey: StoreKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly timer: Timer;
  readonly channel: Message['channel'];
  /** Loads the adapter, once the first message goes out. */
  openRelay(): Promise<Relay>;
}

export interface Deliveries {
  /** Messages may wait: looks, unless it is looking already. */
  wake(): void;
  /** Begins no other delivery, and waits a moment for the one under way. */
  stop(): Promise<void>;
}

/** Pauses between the tries of a message, in milliseconds. After the last it is given up: its code would be over too. */
const pauses = [1_000, 5_000, 30_000, 120_000, 300_000];
const lookedAt = 50;
/** A relay that does not answer holds up no stop for longer; the message then goes out after the next start. */
const stopMilliseconds = 5_000;

export function createDeliveries(parts: DeliveryParts): Deliveries {
  return new ChannelDeliveries(parts);
}

class ChannelDeliveries implements Deliveries {
  readonly #parts: DeliveryParts;
  /** Messages that wait for their next try, with what calls it off. */
  readonly #resting = new Map<string, () => void>();
  readonly #failures = new Map<string, number>();
  /** What the relay has taken and the store does not say yet: not to be sent again. */
  readonly #taken = new Set<string>();
  #relay: Promise<Relay> | undefined;
  #round: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  wake(): void {
    this.#isWanted = true;
    if (this.#isStopped) return;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const callOff of this.#resting.values()) callOff();
    if (this.#round) await Promise.race([this.#round, this.#patience()]);
    await this.#relay?.then((relay) => relay.close()).catch(() => undefined);
  }

  #patience(): Promise<void> {
    return new Promise((resolve) => void this.#parts.timer.after(stopMilliseconds, resolve));
  }

  async #rounds(): Promise<void> {
    const { log } = this.#parts;
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      await this.#deliverAll().catch((error: unknown) => log.error({ err: error }, 'messages could not be read'));
    }
  }

  async #deliverAll(): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const rows = await this.#parts.store.messages.find('delivery', 'waiting', { after, limit: lookedAt });
      for (const message of rows) {
        if (this.#isStopped) return;
        const isOurs = message.channel === this.#parts.channel && !this.#resting.has(message.messageId);
        if (isOurs) await this.#deliver(message);
      }
      after = rows.at(-1)?.messageId;
      if (rows.length < lookedAt) return;
    }
  }

  async #deliver(message: Message): Promise<void> {
    const { messageId, expiresAt } = message;
    try {
      if (expiresAt !== undefined && Date.parse(expiresAt) <= this.#parts.clock.now().getTime())
        return await this.#giveUp(message, 'its code is over');
      if (!this.#taken.has(messageId)) await this.#send(message);
      this.#taken.add(messageId);
      await this.#mark(messageId, { delivery: 'sent' });
      this.#forget(messageId);
    } catch (error) {
      await this.#failed(message, error);
    }
  }

  async #send(message: Message): Promise<void> {
    const { openRelay, storeKey } = this.#parts;
    this.#relay ??= openRelay();
    const relay = await this.#relay;
    await relay.deliver({
      id: message.messageId,
      to: message.to,
      subject: message.codeId === undefined ? 'Your account' : 'Your code',
      text: textOf(message, storeKey),
    });
  }

  async #failed(message: Message, error: unknown): Promise<void> {
    const { messageId, channel, purpose } = message;
    const count = this.#failures.get(messageId) ?? 0;
    const pause = pauses[count];
    // What was taken only has to be marked, however long the store takes.
    if (this.#taken.has(messageId)) return this.#rest(messageId, pauses.at(-1) ?? 0);
    if (error instanceof RelayRefusal || pause === undefined)
      return this.#giveUp(message, reasonOf(error)).catch(() => this.#rest(messageId, pauses.at(-1) ?? 0));
    this.#failures.set(messageId, count + 1);
    this.#parts.log.info({ messageId, channel, purpose, reason: reasonOf(error) }, 'a message is tried again later');
    this.#rest(messageId, pause);
  }

  #rest(messageId: string, milliseconds: number): void {
    if (this.#isStopped) return;
    const callOff = this.#parts.timer.after(milliseconds, () => {
      this.#resting.delete(messageId);
      this.wake();
    });
    this.#resting.set(messageId, callOff);
  }

  async #giveUp({ messageId, channel, purpose }: Message, reason: string): Promise<void> {
    await this.#mark(messageId, { delivery: 'failed', failure: reason });
    this.#forget(messageId);
    this.#parts.log.warn({ messageId, channel, purpose, reason }, 'a message was given up');
  }

  #mark(messageId: string, outcome: Pick<Message, 'delivery' | 'failure'>): Promise<void> {
    return this.#parts.store.transaction(async (tx) => {
      const row = await tx.messages.get(messageId);
      if (row) await tx.messages.replace({ ...withoutCode(row), ...outcome });
    });
  }

  #forget(messageId: string): void {
    this.#failures.delete(messageId);
    this.#taken.delete(messageId);
  }
}

/** For the log and the inbox. The words of the other side can repeat address and text, so only its codes are told. */
function reasonOf(error: unknown): string {
  if (error instanceof RelayRefusal) return error.message;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
