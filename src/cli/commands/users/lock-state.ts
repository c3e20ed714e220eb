/** What people learn about the lock of a user: a lock or unlock that changes nothing, and roles that are without effect. */
import type { CallInput } from '../../../client/types.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { Context } from '../../context.ts';
import type { EntityFields } from '../../request/differences.ts';
import { readControlDetails } from '../control-details.ts';

const lockId = 'user-identities.lock';
const unlockId = 'user-identities.unlock';
const rolesId = 'user-accesses.list-user-roles';

/** What a lock or an unlock finds done already; undefined if it changes the user, or that is not known. */
export async function describeUnchangedLock(
  context: Context,
  { id }: Pick<ManifestOperation, 'id'>,
  body: unknown,
): Promise<string | undefined> {
  if (id !== lockId && id !== unlockId) return undefined;
  const { userId, reason } = body as EntityFields;
  const user = await readLock(context, String(userId));
  if (id === unlockId)
    return user?.locked === false ? 'not locked; the throttles of its login names are cleared' : undefined;
  const isSame = user?.locked === true && (reason === undefined || reason === user.lockReason);
  return isSame ? 'nothing to change' : undefined;
}

/** Says beside the roles of a user that a lock makes them ineffective. */
export async function noticeLock(
  context: Context,
  { id }: Pick<ManifestOperation, 'id'>,
  { userId }: NonNullable<CallInput['params']>,
): Promise<void> {
  if (id !== rolesId || !context.printer.isForPeople) return;
  const user = await readLock(context, String(userId));
  if (user?.locked === true) context.notice('The user is locked: its roles are without effect.');
}

/** Undefined if the caller cannot read it: the command itself reports what is wrong. */
async function readLock(context: Context, userId: string): Promise<EntityFields | undefined> {
  const read = await readControlDetails(context, `/_iam/users/${encodeURIComponent(userId)}`).catch(
    (error: unknown) => {
      if (context.io.signal.aborted) throw error;
      return {};
    },
  );
  return 'entity' in read ? read.entity : undefined;
}
