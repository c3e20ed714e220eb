/** Every route of the control plane, as data: what is served is made from it, and a document of it can be. */
import type { Operation } from '../../contract/operation.ts';
import type { ControlContext } from './define.ts';
import businesses from './routes/businesses.ts';
import clients from './routes/clients.ts';
import customers from './routes/customers.ts';
import endSessions from './routes/end-sessions.ts';
import groupMembers from './routes/group-members.ts';
import inbox from './routes/inbox.ts';
import inboxEmpty from './routes/inbox-empty.ts';
import inboxWait from './routes/inbox-wait.ts';
import keysRotate from './routes/keys-rotate.ts';
import revoke from './routes/revoke.ts';
import sandboxCreate from './routes/sandbox-create.ts';
import sandboxDelete from './routes/sandbox-delete.ts';
import sandboxes from './routes/sandboxes.ts';
import sessions from './routes/sessions.ts';
import settings from './routes/settings.ts';
import snapshotDelete from './routes/snapshot-delete.ts';
import snapshotRestore from './routes/snapshot-restore.ts';
import snapshotSave from './routes/snapshot-save.ts';
import snapshots from './routes/snapshots.ts';
import stateDiff from './routes/state-diff.ts';
import stateExport from './routes/state-export.ts';
import stateImport from './routes/state-import.ts';
import stateReset from './routes/state-reset.ts';
import userFactors from './routes/user-factors.ts';
import users from './routes/users.ts';

export const controlRoutes: readonly Operation<ControlContext>[] = [
  users,
  userFactors,
  clients,
  businesses,
  customers,
  groupMembers,
  settings,
  inbox,
  inboxWait,
  inboxEmpty,
  sessions,
  endSessions,
  revoke,
  keysRotate,
  stateReset,
  stateExport,
  stateImport,
  stateDiff,
  snapshots,
  snapshotSave,
  snapshotRestore,
  snapshotDelete,
  sandboxes,
  sandboxCreate,
  sandboxDelete,
];
