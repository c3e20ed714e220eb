import { testRoleSets } from '../user-accesses/member-fixtures.ts';
import { testMemberPages } from '../user-accesses/pages.ts';

testRoleSets('service-accesses.list-services', async () => ({ params: { groupId: 'plain' } }));

testMemberPages({
  id: 'service-accesses.list-services',
  params: (groupName) => ({ groupId: groupName }),
  member: (memberId) => ({ kind: 'service', memberId }),
  field: 'serviceId',
  badPaging: 'rejected',
});
