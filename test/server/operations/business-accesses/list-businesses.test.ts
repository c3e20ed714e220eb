import { testRoleSets } from '../user-accesses/member-fixtures.ts';
import { testMemberPages } from '../user-accesses/pages.ts';

testRoleSets('business-accesses.list-businesses', async () => ({ params: { groupId: 'plain' } }));

testMemberPages({
  id: 'business-accesses.list-businesses',
  params: (groupName) => ({ groupId: groupName }),
  member: (memberId) => ({ kind: 'business', memberId }),
  field: 'businessId',
  badPaging: 'rejected',
});
