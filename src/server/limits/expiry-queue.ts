/** Finds expired items in constant time each: a hashed timing wheel (Varghese and Lauck, 1987) with slots of one second. */

const slotMs = 1000;

/** An item of at most one queue. `slot` is managed by the queue. */
export interface ExpiryEntry {
  slot: number | undefined;
}

export class ExpiryQueue<Item extends ExpiryEntry> {
  readonly #slots = new Map<number, Set<Item>>();
  #next = 0;

  /** Adds or moves an item: it expires within the second after `at`. */
  schedule(item: Item, at: number): void {
    const slot = Math.max(this.#next, Math.floor(at / slotMs) + 1);
    if (item.slot === slot) return;
    this.remove(item);
    const items = this.#slots.get(slot) ?? new Set();
    this.#slots.set(slot, items.add(item));
    item.slot = slot;
  }

  remove(item: Item): void {
    if (item.slot === undefined) return;
    const items = this.#slots.get(item.slot);
    items?.delete(item);
    if (items?.size === 0) this.#slots.delete(item.slot);
    item.slot = undefined;
  }

  /** Removes the expired items. Takes constant time per expired item. */
  expire(now: number, drop: (item: Item) => void): void {
    const last = Math.floor(now / slotMs);
    if (last < this.#next) return;
    // After a long idle time there are fewer slots than seconds.
    const due = last - this.#next < this.#slots.size ? range(this.#next, last) : [...this.#slots.keys()];
    this.#next = last + 1;
    for (const slot of due) if (slot <= last) this.#expireSlot(slot, drop);
  }

  #expireSlot(slot: number, drop: (item: Item) => void): void {
    const items = this.#slots.get(slot);
    this.#slots.delete(slot);
    for (const item of items ?? []) {
      item.slot = undefined;
      drop(item);
    }
  }
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
