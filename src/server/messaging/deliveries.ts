/**
 * Sends messages that wait in the store to the relay of their channel, one at a time. The store records the status of
 * each: a stop or a crash loses no message, and at worst sends one of them twice.
 */
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';
import type { Store } from '../store/store.ts';
import type { StoreSecret } from '../store/store-secret.ts';
import type { Message } from '../store/tables.ts';
import { renderMessageText, subjectOf, withoutCode } from './messages.ts';
import { type Relay, RelayRejection } from './relay.ts';

export interface DeliveryDeps {
  readonly store: Store;
  readonly storeSecret: StoreSecret;
  readonly clock: Clock;
  readonly log: Log;
  readonly timer: Timer;
  readonly channel: Message['channel'];
  /** Loads the adapter when the first message is sent. */
  openRelay(): Promise<Relay>;
}

/** Delays between attempts, in milliseconds. After the last one delivery fails: the code would have expired too. */
const retryDelaysMs = [1_000, 5_000, 30_000, 120_000, 300_000];
/** Another server sends a message again if the one that claimed it does not report the outcome within this time. */
const claimMs = 60_000;
const batchSize = 50;
/** Max time that a relay can delay a stop; the message is then sent after the next start. */
const stopTimeoutMs = 5_000;

export class Deliveries {
  readonly #deps: DeliveryDeps;
  /** Cancel functions of scheduled retries, by message id. */
  readonly #retries = new Map<string, () => void>();
  readonly #failures = new Map<string, number>();
  /** Messages that the relay has accepted but that are not marked in the store yet: they must not be sent again. */
  readonly #relayed = new Set<string>();
  #relay: Promise<Relay> | undefined;
  #round: Promise<void> | undefined;
  #hasWork = false;
  #isStopped = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** Starts a round of deliveries if none is running. */
  wake(): void {
    this.#hasWork = true;
    if (this.#isStopped) return;
    this.#round ??= this.#runRounds().finally(() => {
      this.#round = undefined;
    });
  }

  /** Starts no further delivery, waits up to 5 seconds for the one in progress, and leaves failed ones to other servers. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#retries.values()) cancel();
    if (this.#round) await Promise.race([this.#round, this.#stopTimeout()]);
    await Promise.race([this.#releaseClaims(), this.#stopTimeout()]);
    await this.#relay?.then((relay) => relay.close()).catch(() => undefined);
  }

  /** Of messages whose delivery failed: until the claim ends, no other server would try again. */
  async #releaseClaims(): Promise<void> {
    if (this.#deps.store.shared === undefined) return;
    // One that the relay has accepted is only to be marked: another server would send it again.
    for (const messageId of this.#retries.keys())
      if (!this.#relayed.has(messageId)) await this.#claim(messageId, 0).catch(() => undefined);
  }

  #stopTimeout(): Promise<void> {
    return new Promise((resolve) => void this.#deps.timer.after(stopTimeoutMs, resolve));
  }

  async #runRounds(): Promise<void> {
    const { log } = this.#deps;
    while (this.#hasWork && !this.#isStopped) {
      this.#hasWork = false;
      await this.#deliverAll().catch((error: unknown) => log.error({ err: error }, 'failed to read messages'));
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
        return await this.#markFailed(message, 'the code has expired');
      if (!this.#relayed.has(messageId)) {
        if (!(await this.#claim(messageId, claimMs))) return;
        await this.#send(message);
      }
      this.#relayed.add(messageId);
      await this.#updateMessage(messageId, { delivery: 'sent' });
      this.#clearRetryState(messageId);
    } catch (error) {
      await this.#handleFailure(message, error);
    }
  }

  /** Of the servers that share a store, one sends a message. @returns whether it is this one */
  async #claim(messageId: string, milliseconds: number): Promise<boolean> {
    const { store, clock } = this.#deps;
    const by = store.shared?.replica;
    if (by === undefined) return true;
    const now = clock.now().getTime();
    return store.transaction(async (tx) => {
      const row = await tx.messages.get(messageId);
      const isTaken = row?.claim !== undefined && row.claim.by !== by && row.claim.until > now;
      if (row?.delivery !== 'waiting' || isTaken) return false;
      await tx.messages.replace({ ...row, claim: { by, until: now + milliseconds } });
      return true;
    });
  }

  async #send(message: Message): Promise<void> {
    const { openRelay, storeSecret } = this.#deps;
    this.#relay ??= openRelay();
    const relay = await this.#relay;
    await relay.deliver({
      id: message.messageId,
      to: message.to,
      subject: subjectOf(message),
      text: renderMessageText(message, storeSecret),
    });
  }

  async #handleFailure(message: Message, error: unknown): Promise<void> {
    const { messageId, channel, purpose } = message;
    const count = this.#failures.get(messageId) ?? 0;
    const delay = retryDelaysMs[count];
    // An accepted message only has to be marked in the store; retry without limit.
    if (this.#relayed.has(messageId)) return this.#scheduleRetry(messageId, retryDelaysMs.at(-1) ?? 0);
    if (error instanceof RelayRejection || delay === undefined)
      return this.#markFailed(message, describeDeliveryError(error)).catch(() =>
        this.#scheduleRetry(messageId, retryDelaysMs.at(-1) ?? 0),
      );
    this.#failures.set(messageId, count + 1);
    this.#deps.log.info(
      { messageId, channel, purpose, reason: describeDeliveryError(error) },
      'delivery of a message failed, will retry',
    );
    this.#scheduleRetry(messageId, delay);
    // Otherwise another server would try in between, and count its failures from the start. After a stop it should.
    await this.#claim(messageId, this.#isStopped ? 0 : delay + claimMs).catch(() => undefined);
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
    this.#deps.log.warn({ messageId, channel, purpose, reason }, 'delivery of a message failed permanently');
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

/** Describes an error for the log and the inbox. Relay messages may repeat address and text, so only codes are used. */
function describeDeliveryError(error: unknown): string {
  if (error instanceof RelayRejection) return error.message;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
