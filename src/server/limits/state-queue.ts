/**
 * Queues of imports and exports of the whole state, which hold it in memory several times: one runs at a time, of the
 * server and all sandboxes. The server and the sandboxes are served in turn, and so are the sandboxes. No slot is held
 * while a client sends.
 */
import { retryLater } from '../../contract/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createHashQueue, type HashFlow, type HashQueue } from './hash-queue.ts';
import { limits } from './table.ts';

/** Shared by the server and its sandboxes. */
export interface StateQueue {
  /** In which states are imported, exported and compared. */
  readonly work: HashQueue;
  /** In which sandboxes receive the bodies of imports. */
  readonly bodies: HashQueue;
}

/** The queue of one service. */
export interface ServiceStateQueue {
  run<Result>(work: () => Promise<Result>, flow: HashFlow): Promise<Result>;
  /**
   * Receives a body and then runs the work with it in `run`. A service receives one body at a time and keeps it until its
   * work is done, so that a slow sender delays only its own service, and bodies do not add up.
   */
  receive<Body, Result>(
    read: () => Promise<Body>,
    work: (body: Body) => Promise<Result>,
    flow: HashFlow,
  ): Promise<Result>;
}

export function createStateQueue(clock: Clock): StateQueue {
  return {
    work: createQueue(clock, 1),
    bodies: createQueue(clock, limits.sandboxBodies.max),
  };
}

/** @param sandbox its name; undefined for the server, whose bodies wait for no sandbox. */
export function createServiceStateQueue(
  { work, bodies }: StateQueue,
  sandbox: string | undefined,
  clock: Clock,
): ServiceStateQueue {
  const ownBodies = createQueue(clock, 1);
  const owner = sandbox === undefined ? ['server', ''] : ['sandboxes', sandbox];
  const ownFlow = ({ flow, ...rest }: HashFlow) => ({ ...rest, flow: [...owner, ...flow] });
  const run = <Result>(task: () => Promise<Result>, flow: HashFlow) => work.run(task, ownFlow(flow));
  return {
    run,
    receive(read, task, flow) {
      const receive = async () => {
        const body = await read();
        return run(() => task(body), flow);
      };
      return ownBodies.run(() => (sandbox === undefined ? receive() : bodies.run(receive, ownFlow(flow))), flow);
    },
  };
}

function createQueue(clock: Clock, concurrency: number): HashQueue {
  const message = 'Too many imports and exports of states are queued.';
  const createError = (seconds: number) => retryLater('TOO_MANY_REQUESTS_WAITING', seconds, { message });
  return createHashQueue({ concurrency, maxWaiting: limits.waitingStates.max, createError, clock });
}
