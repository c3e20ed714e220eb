/** Every route of the control plane, as data: what is served is made from it, and a document of it can be. */
import type { Operation } from '../../contract/operation.ts';
import type { ControlContext } from './define.ts';
import businesses from './routes/businesses.ts';
import clients from './routes/clients.ts';
import clock from './routes/clock.ts';
import customers from './routes/customers.ts';
import endSessions from './routes/end-sessions.ts';
import groupMembers from './routes/group-members.ts';
import inbox from './routes/inbox.ts';
import inboxEmpty from './routes/inbox-empty.ts';
import inboxWait from './routes/inbox-wait.ts';
import keysRotate from './routes/keys-rotate.ts';
import revoke from './routes/revoke.ts';
import sessions from './routes/sessions.ts';
import setClock from './routes/set-clock.ts';
import settings from './routes/settings.ts';
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
  clock,
  setClock,
];
