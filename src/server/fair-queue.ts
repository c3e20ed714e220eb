/**
 * A queue that is served round robin by lane (fair queueing, RFC 970): a caller with many items in it delays only
 * itself. Each operation takes a number of steps that depends on the depth of the lanes alone.
 */
import { Largest } from './largest.ts';
import { LinkedList, type ListNode } from './linked-list.ts';

/** Whose item it is, from the outside in: source, client, and so on. All lanes of a queue have the same depth. */
export type Lane = readonly string[];

/** An item in its queue. */
export interface QueueEntry<Item> {
  readonly item: Item;
  readonly group: LaneGroup<Item>;
  /** Missing once the item has left the queue. */
  node: ListNode<QueueEntry<Item>> | undefined;
}

/** All items whose lanes begin alike. A group without an item is not kept. */
class LaneGroup<Item> {
  readonly groups = new Map<string, LaneGroup<Item>>();
  /** The groups in it, the one to be served next first. */
  readonly rotation = new LinkedList<LaneGroup<Item>>();
  readonly largest = new Largest<LaneGroup<Item>>();
  /** Oldest first; of the innermost groups only. */
  readonly entries = new LinkedList<QueueEntry<Item>>();
  size = 0;
  rotationNode: ListNode<LaneGroup<Item>> | undefined;
  readonly parent: LaneGroup<Item> | undefined;
  readonly key: string;

  constructor(parent?: LaneGroup<Item>, key = '') {
    this.parent = parent;
    this.key = key;
  }
}

export class FairQueue<Item> {
  readonly #root = new LaneGroup<Item>();

  get size(): number {
    return this.#root.size;
  }

  /** How many items have a lane that begins with this key. */
  sizeOf(outermost: string): number {
    return this.#root.groups.get(outermost)?.size ?? 0;
  }

  push(lane: Lane, item: Item): QueueEntry<Item> {
    let group = this.#root;
    for (const key of lane) group = findOrCreateGroup(group, key);
    const entry: QueueEntry<Item> = { item, group, node: undefined };
    entry.node = group.entries.push(entry);
    grow(group);
    return entry;
  }

  /** Takes the next item: of each group in turn, the oldest first. */
  shift(): Item | undefined {
    let group = this.#root;
    for (let next = group.rotation.first; next; next = group.rotation.first) {
      // To the end of the line; where this was the last item of the group, it leaves altogether.
      group.rotation.remove(next);
      next.value.rotationNode = group.rotation.push(next.value);
      group = next.value;
    }
    return this.#removeNode(group.entries.first);
  }

  /** Takes the newest item of the longest lane. Of equal ones it is the lane that got the last item. */
  dropFromLongest(): Item | undefined {
    let group = this.#root;
    for (let next = group.largest.group; next; next = group.largest.group) group = next;
    return this.#removeNode(group.entries.last);
  }

  /** Takes an item out, wherever it stands. False where it has left already. */
  remove(entry: QueueEntry<Item>): boolean {
    const { node, group } = entry;
    if (!node) return false;
    group.entries.remove(node);
    entry.node = undefined;
    shrink(group);
    return true;
  }

  #removeNode(node: ListNode<QueueEntry<Item>> | undefined): Item | undefined {
    if (node) this.remove(node.value);
    return node?.value.item;
  }
}

function findOrCreateGroup<Item>(parent: LaneGroup<Item>, key: string): LaneGroup<Item> {
  const group = parent.groups.get(key) ?? new LaneGroup(parent, key);
  parent.groups.set(key, group);
  return group;
}

function grow<Item>(innermost: LaneGroup<Item>): void {
  for (let group: LaneGroup<Item> | undefined = innermost; group; group = group.parent) {
    group.size += 1;
    group.parent?.largest.grow(group);
    group.rotationNode ??= group.parent?.rotation.push(group);
  }
}

function shrink<Item>(innermost: LaneGroup<Item>): void {
  for (let group: LaneGroup<Item> | undefined = innermost; group; group = group.parent) {
    group.size -= 1;
    group.parent?.largest.shrink(group);
    if (group.size > 0 || !group.rotationNode) continue;
    group.parent?.rotation.remove(group.rotationNode);
    group.parent?.groups.delete(group.key);
  }
}
