/** Tracks group sizes and finds the largest group in constant time. */
import { LinkedList, type ListNode } from '../lib/linked-list.ts';

interface GroupPosition<Group> {
  readonly size: number;
  readonly node: ListNode<Group>;
}

export class GroupSizes<Group> {
  readonly #positions = new Map<Group, GroupPosition<Group>>();
  readonly #bySize = new Map<number, LinkedList<Group>>();
  #size = 0;

  /** The largest group; of equally large ones, the one that changed last. */
  get largest(): Group | undefined {
    return this.#bySize.get(this.#size)?.last?.value;
  }

  sizeOf(group: Group): number {
    return this.#positions.get(group)?.size ?? 0;
  }

  grow(group: Group): void {
    this.#move(group, this.sizeOf(group) + 1);
  }

  shrink(group: Group): void {
    this.#move(group, this.sizeOf(group) - 1);
  }

  #move(group: Group, size: number): void {
    const position = this.#positions.get(group);
    if (position) this.#removeFromList(position);
    if (size === 0) this.#positions.delete(group);
    else this.#positions.set(group, { size, node: this.#listOf(size).push(group) });
    // Sizes change by one, so after the largest group shrinks, the maximum decreases by one at most.
    if (size > this.#size) this.#size = size;
    else if (!this.#bySize.has(this.#size)) this.#size -= 1;
  }

  #removeFromList({ size, node }: GroupPosition<Group>): void {
    const list = this.#listOf(size);
    list.remove(node);
    if (!list.first) this.#bySize.delete(size);
  }

  #listOf(size: number): LinkedList<Group> {
    const list = this.#bySize.get(size) ?? new LinkedList();
    this.#bySize.set(size, list);
    return list;
  }
}
