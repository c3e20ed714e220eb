/** Every route of the control plane, as data: what is served is made from it, and a document of it can be. */
import type { Operation } from '../../contract/operation.ts';
import type { ControlContext } from './define.ts';
import businesses from './routes/businesses.ts';
import clients from './routes/clients.ts';
import customers from './routes/customers.ts';
import groupMembers from './routes/group-members.ts';
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
];
