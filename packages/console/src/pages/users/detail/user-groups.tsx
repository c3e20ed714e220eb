/** The groups of a user: its own, and those of its business. */
import { MemberGroups } from '../../groups/members/member-groups.tsx';
import { type ShownUser, userQueries } from '../shown-user.ts';

const kindTexts = {
  user: undefined,
  business: 'through its business',
  businessUser: 'on behalf of its business',
  service: 'as a service',
};

export function UserGroups({ user: { userId, userName, groups, groupCount } }: { readonly user: ShownUser }) {
  return (
    <MemberGroups
      member={{ kind: 'user', id: userId, name: userName }}
      groups={groups}
      groupCount={groupCount}
      emptyText="In no group. Roles come from groups: add the user to one."
      removeNote="The user loses the roles that only this group gives, with its next request."
      changes={userQueries}
      describeOther={({ kind }) => kindTexts[kind]}
    />
  );
}
