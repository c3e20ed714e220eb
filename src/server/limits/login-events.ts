/** What changes the counts of failed logins. Servers that share a store publish these events to each other. */
import * as z from 'zod';
import type { EventJournal } from '../store/store.ts';

const name = z.string();
const caller = z.string();

/** Names are digests, as in the counts. */
const LoginEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('failure'),
    attempt: z.strictObject({ name, caller, isLoopback: z.boolean(), isKnown: z.boolean() }),
  }),
  z.strictObject({ kind: z.literal('success'), name, caller }),
  /** A login of the user with these names. */
  z.strictObject({ kind: z.literal('login'), names: z.array(name), caller }),
  z.strictObject({ kind: z.literal('clear'), names: z.array(name) }),
]);
export type LoginEvent = z.infer<typeof LoginEvent>;

const throttleNames = ['login', 'logon', 'currentPassword'] as const;
export type ThrottleName = (typeof throttleNames)[number];

const PublishedEvent = z.strictObject({ throttle: z.enum(throttleNames), event: LoginEvent });

export interface LoginEventExchange {
  /** Applies what the other servers have published since the last call. */
  receive(): Promise<void>;
  /** Resolves when the other servers can see the event. */
  publish(throttle: ThrottleName, event: LoginEvent): Promise<void>;
}

/** @param apply counts an event of another server, which is some milliseconds old */
export function createLoginEventExchange(
  journal: EventJournal,
  apply: (throttle: ThrottleName, event: LoginEvent, age: number) => void,
): LoginEventExchange {
  const receive = async () => {
    for (const { event, age } of await journal.readNew()) {
      // A server of a later version may publish other events.
      const { data } = PublishedEvent.safeParse(event);
      if (data) apply(data.throttle, data.event, age);
    }
  };
  return {
    receive: shareNext(receive),
    publish: (throttle, event) => journal.publish({ throttle, event }),
  };
}

/** Runs one at a time: calls during a run share the next one, and its error. */
function shareNext(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return start();
    next ??= running.then(start, (error) => {
      next = undefined;
      throw error;
    });
    return next;
  };
}
