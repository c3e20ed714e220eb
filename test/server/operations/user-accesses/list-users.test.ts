import { testRoleSets } from './member-fixtures.ts';
import { testMemberPages } from './pages.ts';

testRoleSets('user-accesses.list-users', async () => ({ params: { groupName: 'plain' } }));

testMemberPages({
  id: 'user-accesses.list-users',
  params: (groupName) => ({ groupName }),
  member: (memberId) => ({ kind: 'user', memberId }),
  field: 'userId',
  badPaging: 'rejected',
});
