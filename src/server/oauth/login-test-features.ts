/** What the pages of a login offer only to tests: with test features, to a person at this machine. */
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { hasTestFeatures } from '../config/settings.ts';
import { isFromThisMachine } from '../directory/login-approval.ts';
import type { Contact } from '../messaging/contacts.ts';
import type { OperationContext } from '../request-context.ts';

/** Users that the page of a test offers. */
const maxOfferedUsers = 12;

/** Without the control plane, other users of the machine are not trusted. */
export function canActAsAnyone(context: OperationContext): boolean {
  const { settings } = context;
  return hasTestFeatures(settings) && !settings.disableControlPlane && isFromThisMachine(context);
}

/** The users to log in as without a password. */
export async function listOfferedUsers(context: OperationContext) {
  if (!canActAsAnyone(context)) return [];
  const users = await context.store.users.list({ limit: maxOfferedUsers * 2 });
  return users
    .filter(({ locked }) => !locked)
    .slice(0, maxOfferedUsers)
    .map(({ userId, userName }) => ({ userId, name: userName }));
}

/** The code that was just sent to one of these contacts; undefined outside of tests. */
export async function findSentCode(
  context: OperationContext,
  contacts: readonly Contact[],
  codeId: string,
): Promise<string | undefined> {
  if (!canActAsAnyone(context)) return undefined;
  const found = await Promise.all(contacts.map(({ to }) => context.store.messages.find('to', foldIdentifier(to))));
  const sealed = found.flat().find((message) => message.codeId === codeId)?.sealedCode;
  return sealed === undefined ? undefined : context.storeSecret.open(sealed);
}
