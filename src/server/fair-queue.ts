/**
 * A queue that is served round robin by lane (fair queueing, RFC 970): a caller with many items in it delays only
 * itself. Each operation takes a number of steps that depends on the depth of the lanes alone.
 */
import { Largest } from './largest.ts';
import { type Cell, LinkedList } from './linked-list.ts';

/** Whose item it is, from the outside in: source, client, and so on. All lanes of a queue have the same depth. */
export type Lane = readonly string[];

/** An item in its queue. */
export interface Ticket<Item> {
  readonly item: Item;
  readonly group: Group<Item>;
  /** Missing once the item has left the queue. */
  cell: Cell<Ticket<Item>> | undefined;
}

/** All items whose lanes begin alike. A group without an item is not kept. */
class Group<Item> {
  readonly groups = new Map<string, Group<Item>>();
  /** The groups in it, the one to be served next first. */
  readonly turns = new LinkedList<Group<Item>>();
  readonly largest = new Largest<Group<Item>>();
  /** Oldest first; of the innermost groups only. */
  readonly tickets = new LinkedList<Ticket<Item>>();
  size = 0;
  turn: Cell<Group<Item>> | undefined;
  readonly parent: Group<Item> | undefined;
  readonly key: string;

  constructor(parent?: Group<Item>, key = '') {
    this.parent = parent;
    this.key = key;
  }
}

export class FairQueue<Item> {
  readonly #root = new Group<Item>();

  get size(): number {
    return this.#root.size;
  }

  /** How many items have a lane that begins with this key. */
  sizeOf(outermost: string): number {
    return this.#root.groups.get(outermost)?.size ?? 0;
  }

  push(lane: Lane, item: Item): Ticket<Item> {
    let group = this.#root;
    for (const key of lane) group = groupIn(group, key);
    const ticket: Ticket<Item> = { item, group, cell: undefined };
    ticket.cell = group.tickets.push(ticket);
    grow(group);
    return ticket;
  }

  /** Takes the next item: of each group in turn, the oldest first. */
  shift(): Item | undefined {
    let group = this.#root;
    for (let next = group.turns.first; next; next = group.turns.first) {
      // To the end of the line; where this was the last item of the group, it leaves altogether.
      group.turns.remove(next);
      next.value.turn = group.turns.push(next.value);
      group = next.value;
    }
    return this.#take(group.tickets.first);
  }

  /** Takes the newest item of the longest lane. Of equal ones it is the lane that got the last item. */
  drop(): Item | undefined {
    let group = this.#root;
    for (let next = group.largest.group; next; next = group.largest.group) group = next;
    return this.#take(group.tickets.last);
  }

  /** Takes an item out, wherever it stands. False where it has left already. */
  remove(ticket: Ticket<Item>): boolean {
    const { cell, group } = ticket;
    if (!cell) return false;
    group.tickets.remove(cell);
    ticket.cell = undefined;
    shrink(group);
    return true;
  }

  #take(cell: Cell<Ticket<Item>> | undefined): Item | undefined {
    if (cell) this.remove(cell.value);
    return cell?.value.item;
  }
}

function groupIn<Item>(parent: Group<Item>, key: string): Group<Item> {
  const group = parent.groups.get(key) ?? new Group(parent, key);
  parent.groups.set(key, group);
  return group;
}

function grow<Item>(innermost: Group<Item>): void {
  for (let group: Group<Item> | undefined = innermost; group; group = group.parent) {
    group.size += 1;
    group.parent?.largest.grow(group);
    group.turn ??= group.parent?.turns.push(group);
  }
}

function shrink<Item>(innermost: Group<Item>): void {
  for (let group: Group<Item> | undefined = innermost; group; group = group.parent) {
    group.size -= 1;
    group.parent?.largest.shrink(group);
    if (group.size > 0 || !group.turn) continue;
    group.parent?.turns.remove(group.turn);
    group.parent?.groups.delete(group.key);
  }
}
