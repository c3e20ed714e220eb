/** A doubly linked list: what stands anywhere in it is removed in one step, which an array or a Map does not offer. */
export interface Cell<Value> {
  readonly value: Value;
  previous: Cell<Value> | undefined;
  next: Cell<Value> | undefined;
}

export class LinkedList<Value> {
  first: Cell<Value> | undefined;
  last: Cell<Value> | undefined;

  push(value: Value): Cell<Value> {
    const cell: Cell<Value> = { value, previous: this.last, next: undefined };
    if (this.last) this.last.next = cell;
    else this.first = cell;
    this.last = cell;
    return cell;
  }

  /** `cell` must be one of this list. */
  remove({ previous, next }: Cell<Value>): void {
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
  }
}
