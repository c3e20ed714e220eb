/**
 * A queue served round robin by flow (fair queueing, RFC 970): a caller with many items delays only itself. The cost of
 * each operation depends on the depth of the flows only.
 */

import { LinkedList, type ListNode } from '../lib/linked-list.ts';
import { GroupSizes } from './group-sizes.ts';

/** The owner of an item, outermost key first: source, client, and so on. All flows of a queue have the same depth. */
export type FlowKey = readonly string[];

export interface QueueEntry<Item> {
  readonly item: Item;
  readonly group: FlowGroup<Item>;
  /** Missing once the item has left the queue. */
  node: ListNode<QueueEntry<Item>> | undefined;
}

/** All items with a common flow prefix. Empty groups are removed. */
class FlowGroup<Item> {
  readonly groups = new Map<string, FlowGroup<Item>>();
  /** Child groups in the order in which they are served. */
  readonly rotation = new LinkedList<FlowGroup<Item>>();
  /** The sizes of the child groups; undefined in a queue that drops nothing. */
  readonly sizes: GroupSizes<FlowGroup<Item>> | undefined;
  /** Oldest first; of the innermost groups only. */
  readonly entries = new LinkedList<QueueEntry<Item>>();
  size = 0;
  rotationNode: ListNode<FlowGroup<Item>> | undefined;
  readonly parent: FlowGroup<Item> | undefined;
  readonly key: string;

  constructor(drops: boolean, parent?: FlowGroup<Item>, key = '') {
    this.sizes = drops ? new GroupSizes() : undefined;
    this.parent = parent;
    this.key = key;
  }
}

export class FairQueue<Item> {
  readonly #root: FlowGroup<Item>;

  /** @param drops whether `dropFromLongest` will be called. Keeping the sizes costs each item more than all else. */
  constructor({ drops = false }: { readonly drops?: boolean } = {}) {
    this.#root = new FlowGroup(drops);
  }

  get size(): number {
    return this.#root.size;
  }

  /** The number of items whose flow starts with this key. */
  sizeOf(outermost: string): number {
    return this.#root.groups.get(outermost)?.size ?? 0;
  }

  push(flow: FlowKey, item: Item): QueueEntry<Item> {
    let group = this.#root;
    for (const key of flow) group = findOrCreateGroup(group, key);
    const entry: QueueEntry<Item> = { item, group, node: undefined };
    entry.node = group.entries.push(entry);
    grow(group);
    return entry;
  }

  /** Removes and returns the next item: groups in turn, oldest item first. */
  shift(): Item | undefined {
    let group = this.#root;
    for (let next = group.rotation.first; next; next = group.rotation.first) {
      // Move the group to the end; it is removed below if this was its last item.
      group.rotation.remove(next);
      next.value.rotationNode = group.rotation.push(next.value);
      group = next.value;
    }
    return this.#removeNode(group.entries.first);
  }

  /** Removes and returns the newest item of the longest flow; of equally long flows, the one that changed last. */
  dropFromLongest(): Item | undefined {
    let group = this.#root;
    if (!group.sizes) throw new Error('a queue must be created with `drops` to drop an item');
    for (let next = group.sizes.largest; next; next = group.sizes?.largest) group = next;
    return this.#removeNode(group.entries.last);
  }

  /** Removes an item from any position. @returns false if it has already left the queue. */
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

function findOrCreateGroup<Item>(parent: FlowGroup<Item>, key: string): FlowGroup<Item> {
  const group = parent.groups.get(key) ?? new FlowGroup(parent.sizes !== undefined, parent, key);
  parent.groups.set(key, group);
  return group;
}

function grow<Item>(innermost: FlowGroup<Item>): void {
  for (let group: FlowGroup<Item> | undefined = innermost; group; group = group.parent) {
    group.size += 1;
    group.parent?.sizes?.grow(group);
    group.rotationNode ??= group.parent?.rotation.push(group);
  }
}

function shrink<Item>(innermost: FlowGroup<Item>): void {
  for (let group: FlowGroup<Item> | undefined = innermost; group; group = group.parent) {
    group.size -= 1;
    group.parent?.sizes?.shrink(group);
    if (group.size > 0 || !group.rotationNode) continue;
    group.parent?.rotation.remove(group.rotationNode);
    group.parent?.groups.delete(group.key);
  }
}
