/** Every route of the control plane, as data: the source of the router, the API document and docs/control.md. */
import type { ControlRoute } from './define.ts';
import businesses from './routes/businesses.ts';
import clients from './routes/clients.ts';
import clock from './routes/clock.ts';
import coverage from './routes/coverage.ts';
import coverageClear from './routes/coverage-clear.ts';
import customers from './routes/customers.ts';
import docs from './routes/docs.ts';
import docsFile from './routes/docs-file.ts';
import endSessions from './routes/end-sessions.ts';
import faults from './routes/faults.ts';
import faultsAdd from './routes/faults-add.ts';
import faultsRemove from './routes/faults-remove.ts';
import groupMembers from './routes/group-members.ts';
import inbox from './routes/inbox.ts';
import inboxEmpty from './routes/inbox-empty.ts';
import inboxEvents from './routes/inbox-events.ts';
import inboxWait from './routes/inbox-wait.ts';
import keysRotate from './routes/keys-rotate.ts';
import metrics from './routes/metrics.ts';
import openapi from './routes/openapi.ts';
import request from './routes/request.ts';
import requestWhy from './routes/request-why.ts';
import requests from './routes/requests.ts';
import requestsWait from './routes/requests-wait.ts';
import revoke from './routes/revoke.ts';
import sandboxCreate from './routes/sandbox-create.ts';
import sandboxDelete from './routes/sandbox-delete.ts';
import sandboxes from './routes/sandboxes.ts';
import sessions from './routes/sessions.ts';
import setClock from './routes/set-clock.ts';
import settings from './routes/settings.ts';
import snapshotDelete from './routes/snapshot-delete.ts';
import snapshotRestore from './routes/snapshot-restore.ts';
import snapshotSave from './routes/snapshot-save.ts';
import snapshots from './routes/snapshots.ts';
import stateDiff from './routes/state-diff.ts';
import stateExport from './routes/state-export.ts';
import stateImport from './routes/state-import.ts';
import stateReset from './routes/state-reset.ts';
import storeBackup from './routes/store-backup.ts';
import userFactors from './routes/user-factors.ts';
import users from './routes/users.ts';

export const controlRoutes: readonly ControlRoute[] = [
  users,
  userFactors,
  clients,
  businesses,
  customers,
  groupMembers,
  settings,
  docs,
  docsFile,
  openapi,
  inbox,
  inboxWait,
  inboxEvents,
  inboxEmpty,
  sessions,
  endSessions,
  revoke,
  keysRotate,
  clock,
  setClock,
  requests,
  requestsWait,
  request,
  requestWhy,
  faults,
  faultsAdd,
  faultsRemove,
  coverage,
  coverageClear,
  metrics,
  stateReset,
  stateExport,
  stateImport,
  stateDiff,
  storeBackup,
  snapshots,
  snapshotSave,
  snapshotRestore,
  snapshotDelete,
  sandboxes,
  sandboxCreate,
  sandboxDelete,
];
