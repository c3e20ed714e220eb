import { testMemberPages } from './pages.ts';

testMemberPages({
  id: 'user-accesses.list-users',
  params: (groupName) => ({ groupName }),
  member: (memberId) => ({ kind: 'user', memberId }),
  field: 'userId',
  badPaging: 'rejected',
});
