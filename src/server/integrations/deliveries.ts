/**
 * Takes messages that wait in the store to the relay of their channel, one after the other. What is marked there is what
 * counts: a stop or a crash loses none, and at worst repeats the one that was just under way.
 */
import type { Clock } from '../clock.ts';
import { renderMessageText, withoutCode } from '../identity/messages.ts';
import type { StoreSecret } from '../identity/store-secret.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Message } from '../store/tables.ts';
import { type Relay, RelayRejection } from './relay.ts';
import type { Timer } from './timer.ts';

export interface DeliveryDeps {
  readonly store: Store;
  readonly storeSecret: StoreSecret;
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
const retryDelaysMs = [1_000, 5_000, 30_000, 120_000, 300_000];
const batchSize = 50;
/** A relay that does not answer holds up no stop for longer; the message then goes out after the next start. */
const stopTimeoutMs = 5_000;

export function createDeliveries(parts: DeliveryDeps): Deliveries {
  return new ChannelDeliveries(parts);
}

class ChannelDeliveries implements Deliveries {
  readonly #deps: DeliveryDeps;
  /** Messages that wait for their next try, with what calls it off. */
  readonly #retries = new Map<string, () => void>();
  readonly #failures = new Map<string, number>();
  /** What the relay has taken and the store does not say yet: not to be sent again. */
  readonly #relayed = new Set<string>();
  #relay: Promise<Relay> | undefined;
  #round: Promise<void> | undefined;
  #hasWork = false;
  #isStopped = false;

  constructor(parts: DeliveryDeps) {
    this.#deps = parts;
  }

  wake(): void {
    this.#hasWork = true;
    if (this.#isStopped) return;
    this.#round ??= this.#runRounds().finally(() => {
      this.#round = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#retries.values()) cancel();
    if (this.#round) await Promise.race([this.#round, this.#stopTimeout()]);
    await this.#relay?.then((relay) => relay.close()).catch(() => undefined);
  }

  #stopTimeout(): Promise<void> {
    return new Promise((resolve) => void this.#deps.timer.after(stopTimeoutMs, resolve));
  }

  async #runRounds(): Promise<void> {
    const { log } = this.#deps;
    while (this.#hasWork && !this.#isStopped) {
      this.#hasWork = false;
      await this.#deliverAll().catch((error: unknown) => log.error({ err: error }, 'messages could not be read'));
    }
  }

  async #deliverAll(): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const rows = await this.#deps.store.messages.find('delivery', 'waiting', { after, limit: batchSize });
      for (const message of rows) {
        if (this.#isStopped) return;
        const isOurs = message.channel === this.#deps.channel && !this.#retries.has(message.messageId);
        if (isOurs) await this.#deliver(message);
      }
      after = rows.at(-1)?.messageId;
      if (rows.length < batchSize) return;
    }
  }

  async #deliver(message: Message): Promise<void> {
    const { messageId, expiresAt } = message;
    try {
      if (expiresAt !== undefined && Date.parse(expiresAt) <= this.#deps.clock.now().getTime())
        return await this.#markFailed(message, 'its code is over');
      if (!this.#relayed.has(messageId)) await this.#send(message);
      this.#relayed.add(messageId);
      await this.#updateMessage(messageId, { delivery: 'sent' });
      this.#clearRetryState(messageId);
    } catch (error) {
      await this.#handleFailure(message, error);
    }
  }

  async #send(message: Message): Promise<void> {
    const { openRelay, storeSecret } = this.#deps;
    this.#relay ??= openRelay();
    const relay = await this.#relay;
    await relay.deliver({
      id: message.messageId,
      to: message.to,
      subject: message.codeId === undefined ? 'Your account' : 'Your code',
      text: renderMessageText(message, storeSecret),
    });
  }

  async #handleFailure(message: Message, error: unknown): Promise<void> {
    const { messageId, channel, purpose } = message;
    const count = this.#failures.get(messageId) ?? 0;
    const delay = retryDelaysMs[count];
    // What was taken only has to be marked, however long the store takes.
    if (this.#relayed.has(messageId)) return this.#scheduleRetry(messageId, retryDelaysMs.at(-1) ?? 0);
    if (error instanceof RelayRejection || delay === undefined)
      return this.#markFailed(message, describeDeliveryError(error)).catch(() =>
        this.#scheduleRetry(messageId, retryDelaysMs.at(-1) ?? 0),
      );
    this.#failures.set(messageId, count + 1);
    this.#deps.log.info(
      { messageId, channel, purpose, reason: describeDeliveryError(error) },
      'a message is tried again later',
    );
    this.#scheduleRetry(messageId, delay);
  }

  #scheduleRetry(messageId: string, milliseconds: number): void {
    if (this.#isStopped) return;
    const cancel = this.#deps.timer.after(milliseconds, () => {
      this.#retries.delete(messageId);
      this.wake();
    });
    this.#retries.set(messageId, cancel);
  }

  async #markFailed({ messageId, channel, purpose }: Message, reason: string): Promise<void> {
    await this.#updateMessage(messageId, { delivery: 'failed', failure: reason });
    this.#clearRetryState(messageId);
    this.#deps.log.warn({ messageId, channel, purpose, reason }, 'a message was given up');
  }

  #updateMessage(messageId: string, outcome: Pick<Message, 'delivery' | 'failure'>): Promise<void> {
    return this.#deps.store.transaction(async (tx) => {
      const row = await tx.messages.get(messageId);
      if (row) await tx.messages.replace({ ...withoutCode(row), ...outcome });
    });
  }

  #clearRetryState(messageId: string): void {
    this.#failures.delete(messageId);
    this.#relayed.delete(messageId);
  }
}

/** For the log and the inbox. The words of the other side can repeat address and text, so only its codes are told. */
function describeDeliveryError(error: unknown): string {
  if (error instanceof RelayRejection) return error.message;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
