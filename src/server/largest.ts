/** Groups by their number of members. Which group is the largest costs the same, however many there are. */
import { LinkedList, type ListNode } from './linked-list.ts';

interface GroupPosition<Group> {
  readonly size: number;
  readonly node: ListNode<Group>;
}

export class Largest<Group> {
  readonly #positions = new Map<Group, GroupPosition<Group>>();
  readonly #bySize = new Map<number, LinkedList<Group>>();
  #size = 0;

  /** The largest group; of several equal ones the one that changed last. */
  get group(): Group | undefined {
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
    // A group changes by one member, so where the largest shrank it, or one of its size, is the largest still.
    if (size > this.#size) this.#size = size;
    else if (!this.#bySize.has(this.#size)) this.#size -= 1;
  }

  #removeFromList({ size, node: cell }: GroupPosition<Group>): void {
    const list = this.#listOf(size);
    list.remove(cell);
    if (!list.first) this.#bySize.delete(size);
  }

  #listOf(size: number): LinkedList<Group> {
    const list = this.#bySize.get(size) ?? new LinkedList();
    this.#bySize.set(size, list);
    return list;
  }
}
