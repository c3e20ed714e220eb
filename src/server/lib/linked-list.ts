/** A doubly linked list, for removal in constant time at any position. */
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

  /**
   * Removes a node, which must be in this list, and clears its links. A node in V8's old space lives until the next full
   * collection: with links, it would retain its neighbours and all that follow.
   */
  remove(node: ListNode<Value>): void {
    const { previous, next } = node;
    node.previous = undefined;
    node.next = undefined;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
  }
}
