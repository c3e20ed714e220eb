import { expect, test } from 'vitest';
import { expectRejection, insertMembers, startWithMembers } from '../user-accesses/member-fixtures.ts';

const id = 'service-accesses.list-service-roles';
const of = (serviceId: string) => ({ params: { serviceId } });

test('returns the roles that groups grant to the service, and those groups', async () => {
  await using server = await startWithMembers();
  await insertMembers(server, 'leads', [{ kind: 'service', memberId: 'service-of-a' }]);
  await insertMembers(server, 'deployers', [{ kind: 'service', memberId: 'service-of-a' }]);
  await insertMembers(server, 'maintainers', [
    { kind: 'service', memberId: 'service-of-b' },
    { kind: 'business', memberId: 'a' },
  ]);
  await expect(server.admin.serviceAccesses.listServiceRoles(of('service-of-a'))).resolves.toEqual([
    { role: 'APPROVE', groupNames: ['leads'] },
    { role: 'DEPLOY', groupNames: ['deployers', 'leads'] },
  ]);
  await expect(server.admin.serviceAccesses.listServiceRoles(of('service-of-p1'))).resolves.toEqual([]);
  await expectRejection(server, () => server.admin.call(id, of('of-a')), { status: 404, code: 'SERVICE_NOT_FOUND' });
});
