/** The bootstrap groups, created at the first start. */
import type { Clock } from './lib/clock.ts';
import type { Transaction } from './store/store.ts';

const groups = [
  { groupName: 'iam-administrators', roles: ['ADMIN', 'IAM_ADMIN_MAINTENANCE', 'IAM_ADMIN_READ_ONLY'], dependsOn: [] },
  { groupName: 'iam-auditors', roles: ['IAM_ADMIN_READ_ONLY'], dependsOn: [] },
  { groupName: 'business-users', roles: ['BUSINESSUSER'], dependsOn: [] },
  { groupName: 'business-admins', roles: ['BUSINESSADMIN'], dependsOn: ['business-users'] },
  { groupName: 'business-owners', roles: ['BUSINESSOWNER'], dependsOn: ['business-admins'] },
];

export const administratorsGroupName = 'iam-administrators';
export const bootstrapGroupNames: readonly string[] = groups.map(({ groupName }) => groupName);

export interface BootstrapGroupDeps {
  readonly clock: Clock;
  createId(groupName: string): Promise<string> | string;
}

export async function createBootstrapGroups(
  tx: Transaction,
  { createId: idOf, clock }: BootstrapGroupDeps,
): Promise<void> {
  for (const { groupName, roles, dependsOn } of groups) {
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
