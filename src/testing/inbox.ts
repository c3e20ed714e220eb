/** The messages that an in-process server sent. */
import type { AppContext } from '../server/app-context.ts';
import { emptyInbox, listMessages, toInboxItem } from '../server/control/inbox-items.ts';
import type { Message } from '../server/store/tables.ts';
import { assertKnownKeys } from './assert-known-keys.ts';
import { withDeadline } from './deadline.ts';
import type { InboxMessage } from './library-types.ts';

export interface InboxFilter {
  /** An e-mail address (case-insensitive), or a phone number with a plus sign. */
  readonly to?: string | undefined;
  /** Such as recovery, mfa, factor or sign-up. */
  readonly purpose?: string | undefined;
  /** Only messages to the present contacts of this user. */
  readonly userId?: string | undefined;
}

export interface InboxWaitOptions extends InboxFilter {
  /** Id of a message: returns only later messages. */
  readonly after?: string | undefined;
  /** Maximum time to wait, in milliseconds of real time. Default: 5000. */
  readonly timeout?: number | undefined;
}

export interface Inbox {
  /** Returns the messages, newest first. */
  list(search?: InboxFilter): Promise<InboxMessage[]>;
  /**
   * Returns the newest matching message, or waits for the next one. With `after`, returns the first one after it.
   * @throws Error on timeout.
   */
  waitFor(wait?: InboxWaitOptions): Promise<InboxMessage>;
  /** Deletes all messages. Codes stay valid. */
  clear(): Promise<void>;
}

const filterNames: Readonly<Record<keyof InboxFilter, true>> = { to: true, purpose: true, userId: true };

const defaultTimeout = 5_000;

/** Creates the inbox of the current app context. */
export function createInbox(getContext: () => AppContext): Inbox {
  return {
    async list(search = {}) {
      assertKnownKeys('inbox.list', search, filterNames);
      const messages = await listMessages(getContext(), search);
      return Promise.all([...messages].reverse().map((message) => toInboxItem(message, getContext())));
    },
    async waitFor({ after, timeout = defaultTimeout, ...search } = {}) {
      assertKnownKeys('inbox.waitFor', search, filterNames);
      const findMessage = async (): Promise<Message | undefined> =>
        (await listMessages(getContext(), { ...search, after })).at(after === undefined ? -1 : 0);
      const message = await withDeadline(
        timeout,
        (signal) => getContext().outbox.waitFor(findMessage, signal),
        async () =>
          `No message ${formatFilter(search)}arrived within ${timeout} ms. ${await describeLatest(getContext(), after)}`,
      );
      return toInboxItem(message, getContext());
    },
    clear: () => emptyInbox(getContext().store),
  };
}

function formatFilter({ to, purpose, userId }: InboxFilter): string {
  return [
    userId === undefined ? '' : `to the user ${userId} `,
    to === undefined ? '' : `to ${to} `,
    purpose === undefined ? '' : `with purpose ${purpose} `,
  ].join('');
}

const maxDescribed = 5;

/** What did arrive, newest first, without codes: a test that waits for the wrong message shows the right one. */
async function describeLatest(context: AppContext, after: string | undefined): Promise<string> {
  const latest = (await listMessages(context, { after })).slice(-maxDescribed).reverse();
  if (latest.length === 0) return 'No other message arrived.';
  return `The latest messages:\n  ${latest.map(({ to, purpose }) => `${purpose} to ${to}`).join('\n  ')}`;
}
