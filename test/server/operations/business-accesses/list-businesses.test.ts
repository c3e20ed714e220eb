import { testMemberPages } from '../user-accesses/pages.ts';

testMemberPages({
  id: 'business-accesses.list-businesses',
  params: (groupName) => ({ groupId: groupName }),
  member: (memberId) => ({ kind: 'business', memberId }),
  field: 'businessId',
  badPaging: 'rejected',
});
