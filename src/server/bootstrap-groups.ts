/** The bootstrap groups, created at the first start. */
import { type BuiltInGroupName, builtInGroupNames } from '../contract/roles.ts';
import type { Clock } from './lib/clock.ts';
import type { Transaction } from './store/store.ts';

interface BootstrapGroup {
  readonly roles: readonly string[];
  /** Groups before it in the order of creation. */
  readonly dependsOn?: readonly BuiltInGroupName[];
}

const groups: Readonly<Record<BuiltInGroupName, BootstrapGroup>> = {
  'iam-administrators': { roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'] },
  'iam-auditors': { roles: ['IAM_ADMIN_READ_ONLY'] },
  'business-users': { roles: ['BUSINESSUSER'] },
  'business-admins': { roles: ['BUSINESSADMIN'], dependsOn: ['business-users'] },
  'business-owners': { roles: ['BUSINESSOWNER'], dependsOn: ['business-admins'] },
};

export const administratorsGroupName: BuiltInGroupName = 'iam-administrators';

export interface BootstrapGroupDeps {
  readonly clock: Clock;
  createId(groupName: string): Promise<string> | string;
}

export async function createBootstrapGroups(
  tx: Transaction,
  { createId: idOf, clock }: BootstrapGroupDeps,
): Promise<void> {
  for (const groupName of builtInGroupNames) {
    const { roles, dependsOn = [] } = groups[groupName];
    const dependencies: string[] = [];
    for (const name of dependsOn) dependencies.push((await tx.groups.getBy('groupName', name))?.groupId ?? '');
    await tx.groups.insert({
      groupId: await idOf(groupName),
      groupName,
      roles,
      dependencies,
      createdAt: clock.now().toISOString(),
    });
  }
}
