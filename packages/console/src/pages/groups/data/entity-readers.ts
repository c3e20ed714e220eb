/** Searches of the server for what a field of a form can select. */
import { unwrap } from '../../../api/errors.ts';
import type { RequestClients } from '../../../api/requests.ts';

export interface SelectEntry {
  readonly value: string;
  readonly label: string;
}

export type EntityKind = 'users' | 'businesses' | 'corporateGroups' | 'services' | 'clients' | 'groups';

interface EntityReader {
  /** With which the keys of its queries begin. */
  readonly noun: string;
  read(clients: RequestClients, search: string | undefined, signal: AbortSignal): Promise<readonly SelectEntry[]>;
}

const limit = 20;

export const entityReaders: Readonly<Record<EntityKind, EntityReader>> = {
  users: {
    noun: 'users',
    async read({ control }, search, signal) {
      const users = await unwrap(control.GET('/users', { params: { query: { limit, search } }, signal }));
      // Anyone can sign up under a name by which another person is known.
      return users.map(({ userId, userName, nameVerified }) =>
        toEntry(userId, nameVerified === false ? `${userName}, not verified` : userName),
      );
    },
  },
  businesses: {
    noun: 'businesses',
    async read({ control }, search, signal) {
      const businesses = await unwrap(control.GET('/businesses', { params: { query: { limit, search } }, signal }));
      return businesses.map(({ businessId, businessName }) => toEntry(businessId, businessName));
    },
  },
  corporateGroups: {
    noun: 'corporate-groups',
    // The first ones, or the one with a name: the interface has no other search.
    async read({ service }, name, signal) {
      const groups = await unwrap(service.GET('/corporate-groups', { params: { query: { limit, name } }, signal }));
      return groups.map(({ corporateGroupId: value, corporateGroupName: label }) => ({ value, label }));
    },
  },
  groups: {
    noun: 'groups',
    async read({ control }, search, signal) {
      const groups = await unwrap(control.GET('/groups', { params: { query: { limit, search } }, signal }));
      return groups.map(({ groupId, groupName }) => toEntry(groupId, groupName));
    },
  },
  clients: {
    noun: 'clients',
    async read({ control }, search, signal) {
      const clients = await unwrap(control.GET('/clients', { params: { query: { limit, search } }, signal }));
      return clients.map(({ clientId, appId, party }) => toEntry(clientId, `${appId}${formatParty(party)}`));
    },
  },
  services: {
    noun: 'clients',
    async read({ control }, search, signal) {
      const clients = await unwrap(control.GET('/clients', { params: { query: { limit, search } }, signal }));
      return clients.flatMap(({ clientId, serviceAccountId, party }) =>
        serviceAccountId === undefined ? [] : [toEntry(serviceAccountId, `client ${clientId}${formatParty(party)}`)],
      );
    },
  },
};

/** Any user can choose the application of its own clients. */
function formatParty(party: '1STPARTY' | '3RDPARTY'): string {
  return party === '3RDPARTY' ? ', third party' : '';
}

function toEntry(id: string, name: string): SelectEntry {
  return { value: id, label: name === id ? id : `${id} (${name})` };
}
