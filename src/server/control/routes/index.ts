/** Every route of the control plane, as data: the source of the router, the API document and docs/control.md. */
import type { ControlRoute } from '../define.ts';
import businesses from './businesses/list.ts';
import clients from './clients/list.ts';
import clock from './clock/get.ts';
import setClock from './clock/set.ts';
import coverageClear from './coverage/clear.ts';
import coverage from './coverage/get.ts';
import customers from './customers/list.ts';
import docsFile from './docs/get-file.ts';
import docs from './docs/get-page.ts';
import faultsAdd from './faults/add.ts';
import faults from './faults/list.ts';
import faultsRemove from './faults/remove.ts';
import groupMembers from './groups/list-members.ts';
import inboxEmpty from './inbox/empty.ts';
import inbox from './inbox/list.ts';
import inboxEvents from './inbox/stream.ts';
import inboxWait from './inbox/wait.ts';
import keysRotate from './keys/rotate.ts';
import metrics from './metrics/get.ts';
import openapi from './openapi/get.ts';
import request from './requests/get.ts';
import requests from './requests/list.ts';
import requestsWait from './requests/wait.ts';
import requestWhy from './requests/why.ts';
import revoke from './revoke/revoke.ts';
import sandboxCreate from './sandboxes/create.ts';
import sandboxDelete from './sandboxes/delete.ts';
import sandboxes from './sandboxes/list.ts';
import endSessions from './sessions/end.ts';
import sessions from './sessions/list.ts';
import settings from './settings/get.ts';
import snapshotDelete from './state/delete-snapshot.ts';
import stateDiff from './state/diff.ts';
import stateExport from './state/export.ts';
import stateImport from './state/import.ts';
import snapshots from './state/list-snapshots.ts';
import stateReset from './state/reset.ts';
import snapshotRestore from './state/restore-snapshot.ts';
import snapshotSave from './state/save-snapshot.ts';
import storeBackup from './store/backup.ts';
import users from './users/list.ts';
import userFactors from './users/list-factors.ts';

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
