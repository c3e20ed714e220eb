/** Searches of the server for groups, and for what can be a member of one. */
import { useConsole } from '../../../api/console-context.ts';
import { unwrap } from '../../../api/errors.ts';
import type { SelectEntry } from './entity-select.tsx';

const limit = 20;

type EntityReader = (search: string | undefined, signal: AbortSignal) => Promise<readonly SelectEntry[]>;

export function useEntityReaders(): Readonly<
  Record<'users' | 'businesses' | 'services' | 'clients' | 'groups', EntityReader>
> {
  const { control } = useConsole();
  const toQuery = (search: string | undefined) => ({ params: { query: { limit, search } } });
  return {
    users: async (search, signal) => {
      const users = await unwrap(control.GET('/users', { ...toQuery(search), signal }));
      return users.map(({ userId, userName }) => toEntry(userId, userName));
    },
    businesses: async (search, signal) => {
      const businesses = await unwrap(control.GET('/businesses', { ...toQuery(search), signal }));
      return businesses.map(({ businessId, businessName }) => toEntry(businessId, businessName));
    },
    groups: async (search, signal) => {
      const groups = await unwrap(control.GET('/groups', { ...toQuery(search), signal }));
      return groups.map(({ groupId, groupName }) => toEntry(groupId, groupName));
    },
    clients: async (search, signal) => {
      const clients = await unwrap(control.GET('/clients', { ...toQuery(search), signal }));
      return clients.map(({ clientId, appId }) => toEntry(clientId, appId));
    },
    services: async (search, signal) => {
      const clients = await unwrap(control.GET('/clients', { ...toQuery(search), signal }));
      return clients.flatMap(({ clientId, serviceAccountId }) =>
        serviceAccountId === undefined ? [] : [toEntry(serviceAccountId, `client ${clientId}`)],
      );
    },
  };
}

function toEntry(id: string, name: string): SelectEntry {
  return { value: id, label: name === id ? id : `${id} (${name})` };
}
