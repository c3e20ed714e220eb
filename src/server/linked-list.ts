/** A doubly linked list: what stands anywhere in it is removed in one step, which an array or a Map does not offer. */
export interface ListNode<Value> {
  readonly value: Value;
  previous: ListNode<Value> | undefined;
  next: ListNode<Value> | undefined;
}

export class LinkedList<Value> {
  first: ListNode<Value> | undefined;
  last: ListNode<Value> | undefined;

  push(value: Value): ListNode<Value> {
    const node: ListNode<Value> = { value, previous: this.last, next: undefined };
    if (this.last) this.last.next = node;
    else this.first = node;
    this.last = node;
    return node;
  }

  /** `cell` must be one of this list. */
  remove({ previous, next }: ListNode<Value>): void {
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
  }
}
