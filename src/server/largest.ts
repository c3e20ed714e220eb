/** Groups by their number of members. Which group is the largest costs the same, however many there are. */
import { type Cell, LinkedList } from './linked-list.ts';

interface Place<Group> {
  readonly size: number;
  readonly cell: Cell<Group>;
}

export class Largest<Group> {
  readonly #places = new Map<Group, Place<Group>>();
  readonly #bySize = new Map<number, LinkedList<Group>>();
  #size = 0;

  /** The largest group; of several equal ones the one that changed last. */
  get group(): Group | undefined {
    return this.#bySize.get(this.#size)?.last?.value;
  }

  sizeOf(group: Group): number {
    return this.#places.get(group)?.size ?? 0;
  }

  grow(group: Group): void {
    this.#move(group, this.sizeOf(group) + 1);
  }

  shrink(group: Group): void {
    this.#move(group, this.sizeOf(group) - 1);
  }

  #move(group: Group, size: number): void {
    const place = this.#places.get(group);
    if (place) this.#leave(place);
    if (size === 0) this.#places.delete(group);
    else this.#places.set(group, { size, cell: this.#listOf(size).push(group) });
    // A group changes by one member, so where the largest shrank it, or one of its size, is the largest still.
    if (size > this.#size) this.#size = size;
    else if (!this.#bySize.has(this.#size)) this.#size -= 1;
  }

  #leave({ size, cell }: Place<Group>): void {
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
