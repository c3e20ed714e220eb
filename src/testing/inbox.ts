/** The messages that a server sent, for who runs it in his own process. */
import type * as z from 'zod';
import type { AppContext } from '../server/app-context.ts';
import { emptyInbox, type InboxItem as ItemSchema, listMessages, toInboxItem } from '../server/control/inbox-items.ts';
import type { Message } from '../server/store/tables.ts';

/** A message, with its code where it has one. */
export type InboxMessage = z.output<typeof ItemSchema>;

export interface InboxFilter {
  /** An e-mail address in any case, or a number with its plus sign. */
  readonly to?: string | undefined;
  /** Such as recovery, mfa, factor or sign-up. */
  readonly purpose?: string | undefined;
}

export interface InboxWaitOptions extends InboxFilter {
  /** Id of a message: only those that came later. */
  readonly after?: string | undefined;
  /** How long to wait at most, in milliseconds of real time; 5000 where missing. */
  readonly timeout?: number | undefined;
}

export interface Inbox {
  /** The newest first. */
  list(search?: InboxFilter): Promise<InboxMessage[]>;
  /**
   * The newest message that fits; where there is none, the next that comes. With `after`, the first after that one.
   * @throws Error where none came in time.
   */
  waitFor(wait?: InboxWaitOptions): Promise<InboxMessage>;
  /** Removes all messages. Codes stay good. */
  clear(): Promise<void>;
}

const defaultTimeout = 5_000;

/** The inbox of whichever world answers. */
export function createInbox(world: () => AppContext): Inbox {
  return {
    async list(search = {}) {
      const messages = await listMessages(world(), search);
      return Promise.all([...messages].reverse().map((message) => toInboxItem(message, world())));
    },
    async waitFor({ after, timeout = defaultTimeout, ...search } = {}) {
      const findMessage = async (): Promise<Message | undefined> =>
        (await listMessages(world(), { ...search, after })).at(after === undefined ? -1 : 0);
      const message = await world().outbox.waitFor(findMessage, AbortSignal.timeout(timeout));
      if (!message) throw new Error(`No message ${formatFilter(search)}came within ${timeout} ms.`);
      return toInboxItem(message, world());
    },
    clear: () => emptyInbox(world().store),
  };
}

function formatFilter({ to, purpose }: InboxFilter): string {
  return [to === undefined ? '' : `to ${to} `, purpose === undefined ? '' : `of purpose ${purpose} `].join('');
}
