import { testMemberPages } from '../user-accesses/pages.ts';

testMemberPages({
  id: 'service-accesses.list-services',
  params: (groupName) => ({ groupId: groupName }),
  member: (memberId) => ({ kind: 'service', memberId }),
  field: 'serviceId',
  badPaging: 'rejected',
});
