/** The fair queue: order of service, dropped items, and constant cost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue, type FlowKey } from '../../../src/server/limits/fair-queue.ts';

/** A queue with items in the form `flow:number`, with slashes between the keys of the flow. */
function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>({ drops: true });
  for (const item of items) queue.push(flowOf(item), item);
  return queue;
}

const flowOf = (item: string): FlowKey => item.split(':')[0]?.split('/') ?? [];

function drain(queue: FairQueue<string>): string[] {
  return Array.from({ length: queue.size }, () => queue.shift() ?? 'none');
}

describe('the order of service', () => {
  test('is first in, first out within one flow', () => {
    expect(drain(queueOf('a:1', 'a:2', 'a:3'))).toEqual(['a:1', 'a:2', 'a:3']);
  });

  test('serves flows in turn, whatever their length', () => {
    const queue = queueOf('a:1', 'a:2', 'a:3', 'a:4', 'b:1', 'b:2', 'c:1');
    expect(drain(queue)).toEqual(['a:1', 'b:1', 'c:1', 'a:2', 'b:2', 'a:3', 'a:4']);
  });

  test('serves nested flows in turn, without a larger share for their outer flow', () => {
    const queue = queueOf('a/x:1', 'a/x:2', 'a/y:1', 'a/z:1', 'b/x:1', 'b/x:2', 'b/x:3');
    expect(drain(queue)).toEqual(['a/x:1', 'b/x:1', 'a/y:1', 'b/x:2', 'a/z:1', 'b/x:3', 'a/x:2']);
  });

  test('adds a returning flow at the end', () => {
    const queue = queueOf('a:1', 'a:2', 'b:1');
    expect(queue.shift()).toBe('a:1');
    expect(queue.shift()).toBe('b:1');
    queue.push(['b'], 'b:2');
    expect(drain(queue)).toEqual(['a:2', 'b:2']);
  });
});

describe('what is dropped', () => {
  test('is the newest of the longest flow', () => {
    const queue = queueOf('a:1', 'a:2', 'a:3', 'b:1', 'b:2');
    expect(queue.dropFromLongest()).toBe('a:3');
    expect(drain(queue)).toEqual(['a:1', 'b:1', 'a:2', 'b:2']);
  });

  test('is, of equally long flows, in the one that grew last', () => {
    const queue = queueOf('a:1', 'a:2', 'b:1', 'b:2');
    expect(queue.dropFromLongest()).toBe('b:2');
    expect(queue.dropFromLongest()).toBe('a:2');
  });

  test('is in the longest nested flow of the longest outer flow', () => {
    const queue = queueOf('a/x:1', 'a/x:2', 'a/y:1', 'a/z:1', 'b/x:1', 'b/x:2', 'b/x:3');
    expect(queue.dropFromLongest()).toBe('a/x:2');
  });

  test('is undefined for an empty queue', () => {
    expect(queueOf().dropFromLongest()).toBeUndefined();
    expect(() => new FairQueue().dropFromLongest()).toThrow('drops');
    expect(queueOf().shift()).toBeUndefined();
  });
});

test('an item can be removed once, from any position', () => {
  const queue = queueOf('a:1', 'b:1');
  const ticket = queue.push(['a'], 'a:2');
  queue.push(['a'], 'a:3');
  expect(queue.remove(ticket)).toBe(true);
  expect(queue.remove(ticket)).toBe(false);
  expect(queue.sizeOf('a')).toBe(2);
  expect(drain(queue)).toEqual(['a:1', 'b:1', 'a:3']);
  expect(queue.sizeOf('a')).toBe(0);
});

/** A reference implementation by linear search. */
class Plain {
  readonly flows = new Map<string, string[]>();
  laneOrder: string[] = [];

  push(flow: string, item: string) {
    const items = this.flows.get(flow) ?? [];
    if (items.length === 0) this.laneOrder.push(flow);
    this.flows.set(flow, [...items, item]);
  }

  shift(): string | undefined {
    const flow = this.laneOrder.shift();
    if (flow === undefined) return undefined;
    const [item, ...rest] = this.flows.get(flow) ?? [];
    this.flows.set(flow, rest);
    if (rest.length > 0) this.laneOrder.push(flow);
    return item;
  }

  lengths(): number[] {
    return [...this.flows.values()].map(({ length }) => length).filter((length) => length > 0);
  }
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('push' as const), flow: fc.constantFrom('a', 'b', 'c', 'd') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('shift' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const) }) },
);

test('serves flows in turn and drops from the longest flow for random histories', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new FairQueue<string>({ drops: true });
      const plain = new Plain();
      for (const [at, { kind, ...more }] of steps.entries()) {
        if (kind === 'shift') expect(queue.shift()).toBe(plain.shift());
        if ('flow' in more) {
          queue.push([more.flow], `${more.flow}:${at}`);
          plain.push(more.flow, `${more.flow}:${at}`);
        }
        if (kind === 'drop') {
          const dropped = queue.dropFromLongest();
          const flow = dropped?.split(':')[0] ?? '';
          const items = plain.flows.get(flow) ?? [];
          expect(items.length).toBe(Math.max(0, ...plain.lengths()));
          expect(items.pop()).toBe(dropped);
          if (items.length === 0) plain.laneOrder = plain.laneOrder.filter((one) => one !== flow);
        }
        expect(queue.size).toBe(plain.lengths().reduce((sum, length) => sum + length, 0));
      }
    }),
  );
});

/** Counts the group operations of a queue while this many flows wait, are served and dropped. */
function workOf(flows: number): number {
  const queue = new FairQueue<number>({ drops: true });
  let work = 0;
  const { get, set, delete: remove } = Map.prototype;
  const counting = <Method>(method: Method) =>
    function counted(this: unknown, ...args: unknown[]) {
      work += 1;
      return (method as (...args: unknown[]) => unknown).apply(this, args);
    };
  Object.assign(Map.prototype, { get: counting(get), set: counting(set), delete: counting(remove) });
  try {
    for (let at = 0; at < flows; at += 1) for (let item = 0; item < 4; item += 1) queue.push([`n${at}`, 'c'], item);
    for (let at = 0; at < flows; at += 1) {
      queue.shift();
      queue.dropFromLongest();
    }
  } finally {
    Object.assign(Map.prototype, { get, set, delete: remove });
  }
  return work;
}

test('the cost per item does not grow with the number of flows', () => {
  expect(workOf(4000)).toBeLessThanOrEqual(4.1 * workOf(1000));
});
