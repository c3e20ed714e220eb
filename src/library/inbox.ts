/** The messages that a server sent, for who runs it in his own process. */
import type * as z from 'zod';
import { emptyInbox, type InboxItem as ItemSchema, inboxItem, messagesFor } from '../server/control/inbox-items.ts';
import type { Message } from '../server/store/tables.ts';
import type { World } from '../server/world.ts';

/** A message, with its code where it has one. */
export type InboxItem = z.output<typeof ItemSchema>;

export interface InboxSearch {
  /** An e-mail address in any case, or a number with its plus sign. */
  readonly to?: string | undefined;
  /** Such as recovery, mfa, factor or sign-up. */
  readonly purpose?: string | undefined;
}

export interface InboxWait extends InboxSearch {
  /** Id of a message: only those that came later. */
  readonly after?: string | undefined;
  /** How long to wait at most, in milliseconds of real time; 5000 where missing. */
  readonly timeout?: number | undefined;
}

export interface Inbox {
  /** The newest first. */
  list(search?: InboxSearch): Promise<InboxItem[]>;
  /**
   * The newest message that fits; where there is none, the next that comes. With `after`, the first after that one.
   * @throws Error where none came in time.
   */
  waitFor(wait?: InboxWait): Promise<InboxItem>;
  /** Removes all messages. Codes stay good. */
  clear(): Promise<void>;
}

const usualTimeout = 5_000;

/** The inbox of whichever world answers. */
export function createInbox(world: () => World): Inbox {
  return {
    async list(search = {}) {
      const messages = await messagesFor(world(), search);
      return Promise.all([...messages].reverse().map((message) => inboxItem(message, world())));
    },
    async waitFor({ after, timeout = usualTimeout, ...search } = {}) {
      const look = async (): Promise<Message | undefined> =>
        (await messagesFor(world(), { ...search, after })).at(after === undefined ? -1 : 0);
      const message = await world().outbox.waitFor(look, AbortSignal.timeout(timeout));
      if (!message) throw new Error(`No message ${wordsOf(search)}came within ${timeout} ms.`);
      return inboxItem(message, world());
    },
    clear: () => emptyInbox(world().store),
  };
}

function wordsOf({ to, purpose }: InboxSearch): string {
  return [to === undefined ? '' : `to ${to} `, purpose === undefined ? '' : `of purpose ${purpose} `].join('');
}
