/** What the pages of a login offer only to tests: with test features, to a person at this machine. */
import { foldIdentifier } from '../../lib/fold-identifier.ts';
import { hasTestFeatures } from '../config/settings.ts';
import { isLocalName } from '../http/hosts.ts';
import type { Contact } from '../messaging/contacts.ts';
import type { OperationContext } from '../request-context.ts';

/** Users that the page of a test offers. */
const maxOfferedUsers = 12;

/**
 * Under a base URL of another name a proxy may forward every request, and without its headers all look local. Without the
 * control plane, other users of the machine are not trusted.
 */
export function canActAsAnyone({ settings, source, baseUrl }: OperationContext): boolean {
  const isOfMachine = source.isLoopback && source.isRelayed !== true && isLocalName(new URL(baseUrl).hostname);
  return hasTestFeatures(settings) && !settings.disableControlPlane && isOfMachine;
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
