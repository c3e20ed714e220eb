/** Searches of the server for what a field of a form can select. */

import { unwrap } from '../../../api/errors.ts';
import type { RequestClients } from '../../../api/requests.ts';
import { nameOfClient } from '../../../components/client-owner.tsx';
import type { SubjectKind } from '../../../components/subject.tsx';

export interface SelectEntry {
  /** The id. */
  readonly value: string;
  /** The name, in the field. */
  readonly label: string;
  /** In the list, what else distinguishes it. */
  readonly note?: string;
}

export type EntityKind = 'users' | 'businesses' | 'corporateGroups' | 'services' | 'clients' | 'groups';

interface EntityReader {
  /** With which the keys of its queries begin. */
  readonly noun: string;
  readonly subject: SubjectKind;
  read(clients: RequestClients, search: string | undefined, signal: AbortSignal): Promise<readonly SelectEntry[]>;
}

const limit = 20;

export const entityReaders: Readonly<Record<EntityKind, EntityReader>> = {
  users: {
    noun: 'users',
    subject: 'user',
    async read({ control }, search, signal) {
      const users = await unwrap(control.GET('/users', { params: { query: { limit, search } }, signal }));
      // Anyone can sign up under a name by which another person is known.
      return users.map(({ userId, userName, nameVerified }) =>
        toEntry(userId, userName, nameVerified === false ? 'not verified' : undefined),
      );
    },
  },
  businesses: {
    noun: 'businesses',
    subject: 'business',
    async read({ control }, search, signal) {
      const businesses = await unwrap(control.GET('/businesses', { params: { query: { limit, search } }, signal }));
      return businesses.map(({ businessId, businessName }) => toEntry(businessId, businessName));
    },
  },
  corporateGroups: {
    noun: 'corporate-groups',
    subject: 'corporateGroup',
    async read({ control }, search, signal) {
      const groups = await unwrap(control.GET('/corporate-groups', { params: { query: { limit, search } }, signal }));
      return groups.map(({ corporateGroupId, corporateGroupName }) => toEntry(corporateGroupId, corporateGroupName));
    },
  },
  groups: {
    noun: 'groups',
    subject: 'group',
    async read({ control }, search, signal) {
      const groups = await unwrap(control.GET('/groups', { params: { query: { limit, search } }, signal }));
      return groups.map(({ groupId, groupName }) => toEntry(groupId, groupName));
    },
  },
  clients: {
    noun: 'clients',
    subject: 'client',
    async read({ control }, search, signal) {
      const clients = await unwrap(control.GET('/clients', { params: { query: { limit, search } }, signal }));
      return clients.map((client) => toEntry(client.clientId, nameOfClient(client), describeParty(client.party)));
    },
  },
  services: {
    noun: 'clients',
    subject: 'service',
    async read({ control }, search, signal) {
      const clients = await unwrap(control.GET('/clients', { params: { query: { limit, search } }, signal }));
      return clients.flatMap(({ serviceAccountId, party }) =>
        serviceAccountId === undefined ? [] : [toEntry(serviceAccountId, serviceAccountId, describeParty(party))],
      );
    },
  },
};

/** Any user can choose the application of its own clients. */
function describeParty(party: '1STPARTY' | '3RDPARTY'): string | undefined {
  return party === '3RDPARTY' ? 'third party' : undefined;
}

function toEntry(value: string, label: string, note?: string): SelectEntry {
  return note === undefined ? { value, label } : { value, label, note };
}
