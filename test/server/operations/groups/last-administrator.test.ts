/** At least one user who can sign in has IAM_ADMIN_MAINTENANCE after every change to the groups that grant it. */
import { expect, test } from 'vitest';
import { startServer } from '../../../harness.ts';
import { catchClientError } from '../access.ts';

test('the group of the first administrator can be removed while another group has one, which then keeps it', async () => {
  await using server = await startServer({
    seed: {
      users: [{ userId: 'eve', userName: 'eve', password: 'a long enough one' }],
      groups: [
        { groupName: 'power', roles: ['IAM_ADMIN_MAINTENANCE'] },
        { groupName: 'others', dependencies: [{ groupName: 'power' }], users: ['eve'] },
      ],
    },
  });
  const { groups } = server.admin;
  await groups.remove({ params: { groupId: 'iam-administrators' } });
  const removals = [
    () => groups.removeDependency({ params: { groupId: 'others', dependencyName: 'power' } }),
    () => groups.removeRole({ params: { groupId: 'power', roleName: 'IAM_ADMIN_MAINTENANCE' } }),
    () => groups.update({ params: { groupId: 'others' }, body: { groupName: 'others' } }),
    () => groups.update({ params: { groupId: 'power' }, body: { groupName: 'power' } }),
  ];
  const before = await server.dump();
  for (const removal of removals)
    expect(await catchClientError(removal())).toMatchObject({ code: 'LAST_ADMINISTRATOR' });
  expect(await catchClientError(groups.remove({ params: { groupId: 'others' } }))).toMatchObject({
    status: 412,
    code: 'LAST_ADMINISTRATOR',
  });
  expect(await server.dump()).toEqual(before);
});
