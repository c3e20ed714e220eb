/** Groups and effective roles of a user, a business or a service, as the control plane returns them. */

import * as z from 'zod';
import { exampleInt, exampleText } from '../../contract/schemas/primitives.ts';
import { resolveEffectiveRoles } from '../directory/group-roles.ts';
import type { Reader } from '../store/store.ts';
import { type Membership, memberValue } from '../store/tables.ts';

/** Entries of each list in a response. */
const maxListed = 1000;

const total = (what: string) => exampleInt(1, `Number of all ${what}`);

/** Fields of a response. The counts show whether a list is complete. */
export const memberGrantFields = {
  groups: z
    .array(
      z.strictObject({
        groupId: exampleText('64b0c0ffee00000000000001'),
        groupName: exampleText('ops'),
        kind: z.enum(['user', 'business', 'businessUser', 'service']).describe('Kind of the membership'),
      }),
    )
    .describe(`Direct memberships, sorted by kind and group id; the first ${maxListed}`),
  groupCount: total('memberships'),
  effectiveRoles: z.array(z.string()).meta({
    description: `Roles from groups and their dependencies, sorted; the first ${maxListed}`,
    examples: [['DEPLOY']],
  }),
  effectiveRoleCount: total('effective roles'),
};

type MemberGrants = z.input<z.ZodObject<typeof memberGrantFields>>;
type MemberIdentity = Pick<Membership, 'kind' | 'memberId' | 'businessId'>;

/**
 * Reads the groups of these identities of one member, and their effective roles.
 * @param resolveRoles resolves the roles where they do not follow from the groups alone.
 */
export async function readMemberGrants(
  reader: Pick<Reader, 'groups' | 'memberships'>,
  members: readonly MemberIdentity[],
  resolveRoles = (groupIds: readonly string[]) => resolveEffectiveRoles(reader, groupIds),
): Promise<MemberGrants> {
  const found = await Promise.all(members.map((member) => reader.memberships.find('member', memberValue(member))));
  const memberships = found.flat();
  const roles = await resolveRoles([...new Set(memberships.map(({ groupId }) => groupId))]);
  return {
    groups: await Promise.all(memberships.slice(0, maxListed).map((membership) => toGroupItem(reader, membership))),
    groupCount: memberships.length,
    effectiveRoles: [...roles].sort().slice(0, maxListed),
    effectiveRoleCount: roles.size,
  };
}

async function toGroupItem(reader: Pick<Reader, 'groups'>, { groupId, kind }: Membership) {
  return { groupId, groupName: (await reader.groups.get(groupId))?.groupName ?? '', kind };
}
