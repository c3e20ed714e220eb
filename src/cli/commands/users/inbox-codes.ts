/** Reads one-time codes from the inbox of the server. */
import type { Context } from '../../context.ts';
import { type ControlFilters, callControlPlane } from '../../request/control-plane.ts';
import { deadlineAfter, waitFor } from '../../request/wait.ts';

export const inboxPath = '/_iam/inbox';

interface InboxMessage {
  readonly id: string;
  readonly code?: string;
  /** Present while the code is valid. */
  readonly attemptsLeft?: number;
}

/** Returns the newest valid code, or waits up to `seconds` for the next one. */
export async function findInboxCode(
  context: Context,
  filters: ControlFilters,
  seconds: number,
): Promise<string | undefined> {
  const { body } = await callControlPlane(context, 'GET', inboxPath, { query: { ...filters, limit: 100 } });
  const items = body as readonly InboxMessage[];
  const found = items.find(hasValidCode);
  if (found || seconds === 0) return found?.code;
  const end = deadlineAfter(seconds);
  let after = items[0]?.id;
  for (;;) {
    const item = await waitForMessage(context, { ...filters, after }, end);
    if (!item || hasValidCode(item)) return item?.code;
    after = item.id;
  }
}

function hasValidCode({ code, attemptsLeft }: InboxMessage): boolean {
  return code !== undefined && attemptsLeft !== undefined;
}

/** Waits for a message until a deadline: the newest one, or with the filter `after` the first one after that id. */
export function waitForMessage(
  context: Context,
  query: ControlFilters,
  end: number,
): Promise<InboxMessage | undefined> {
  return waitFor<InboxMessage>(context, { path: `${inboxPath}/wait`, missing: 'MESSAGE_NOT_FOUND', query }, end);
}
