/** What a transaction writes by which someone can get a longer token. */
import { overrideTable, overrideTables } from '../store/overrides.ts';
import type { Transaction } from '../store/store.ts';
import type { Client, Group, Membership, User } from '../store/tables.ts';

/** The rows that a transaction wrote by which someone can gain roles. */
export class RoleChanges {
  readonly groups = new Map<string, Group>();
  /** Without dependencies: they have no members yet, and no other group depends on them. */
  readonly newGroups = new Map<string, Group>();
  /** All written groups, also those that only lost roles. */
  readonly writtenGroups = new Map<string, Group>();
  readonly memberships: Membership[] = [];
  readonly clients: Client[] = [];
  readonly users: User[] = [];

  isEmpty(): boolean {
    const { groups, newGroups, memberships, clients, users } = this;
    return groups.size + newGroups.size + memberships.length + clients.length + users.length === 0;
  }

  record(tx: Transaction): Transaction {
    return overrideTables(tx, {
      groups: (groups) =>
        overrideTable(groups, {
          insert: async (group) => {
            await groups.insert(group);
            this.writtenGroups.set(group.groupId, group);
            (group.dependencies.length === 0 ? this.newGroups : this.groups).set(group.groupId, group);
          },
          replace: async (group) => {
            const { groupId } = group;
            const isRecorded = this.groups.has(groupId) || this.newGroups.delete(groupId);
            if (isRecorded || addsRoles(await groups.get(groupId), group)) this.groups.set(groupId, group);
            await groups.replace(group);
            this.writtenGroups.set(groupId, group);
          },
        }),
      memberships: (memberships) =>
        overrideTable(memberships, {
          insert: async (membership) => {
            await memberships.insert(membership);
            this.memberships.push(membership);
          },
          replace: async (membership) => {
            await memberships.replace(membership);
            this.memberships.push(membership);
          },
        }),
      clients: (clients) =>
        overrideTable(clients, {
          insert: async (client) => {
            await clients.insert(client);
            this.clients.push(client);
          },
          replace: async (client) => {
            if (addsAuthorities(await clients.get(client.clientId), client)) this.clients.push(client);
            await clients.replace(client);
          },
        }),
      users: (users) =>
        overrideTable(users, {
          insert: async (user) => {
            await users.insert(user);
            if (user.businessId !== undefined) this.users.push(user);
          },
          replace: async (user) => {
            const before = await users.get(user.userId);
            await users.replace(user);
            if (user.businessId !== undefined && user.businessId !== before?.businessId) this.users.push(user);
          },
        }),
    });
  }
}

function addsRoles(before: Group | undefined, after: Group): boolean {
  return (
    after.roles.some((role) => !before?.roles.includes(role)) ||
    after.dependencies.some((groupId) => !before?.dependencies.includes(groupId))
  );
}

function addsAuthorities(before: Client | undefined, after: Client): boolean {
  return (
    after.serviceAccountId !== before?.serviceAccountId ||
    after.authorities.some((name) => !before?.authorities.includes(name)) ||
    after.scope.some((name) => !before?.scope.includes(name))
  );
}
