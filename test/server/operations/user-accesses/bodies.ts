/** Body tests shared by all operations that add members. */
import { describe, expect, test } from 'vitest';
import type { OperationId } from '../../../../src/server/operations/index.ts';
import { rounds } from '../../../effort.ts';
import type { TestServer } from '../../../harness.ts';
import { catchClientError, createIds, expectRejection, startWithMembers } from './member-fixtures.ts';

export interface MemberAddition {
  readonly id: OperationId;
  params(groupName: string): Readonly<Record<string, string>>;
  /** The name of the id in an entry of the body. */
  readonly field: string;
  /** Ids of two existing objects. */
  readonly known: readonly [string, string];
  /** The error code for an unknown id. */
  readonly unknownCode: string;
  /** Creates objects that can be added. */
  make(server: TestServer, ids: readonly string[]): Promise<void>;
}

/** Returns the ids of all members of a group, of any kind. */
export async function membersIn(server: TestServer, groupName = 'plain'): Promise<string[]> {
  const group = await server.appContext.store.groups.getBy('groupName', groupName);
  const rows = await server.appContext.store.memberships.find('group', group?.groupId ?? '');
  return rows.map(({ memberId }) => memberId);
}

export function testMemberBodies({ id, params, field, known, unknownCode, make }: MemberAddition): void {
  const entries = (memberIds: readonly string[]) => memberIds.map((memberId) => ({ [field]: memberId }));
  const add = (server: TestServer, body: unknown, groupName = 'plain') =>
    server.admin.call(id, { params: params(groupName), body });

  describe('the body', () => {
    test('may have several entries; repeated entries change nothing', async () => {
      await using server = await startWithMembers();
      const [first, second] = known;
      expect(await add(server, entries([first]))).toMatchObject({ status: 200, body: {} });
      await add(server, entries([second, first, second]));
      expect(await membersIn(server)).toEqual([first, second].toSorted());
      const before = await server.dump();
      await add(server, entries(known));
      await add(server, []);
      expect(await server.dump()).toEqual(before);
    });

    test('is rejected as a whole if some entries are unknown; the error names all of those', async () => {
      await using server = await startWithMembers();
      const [first, second] = known;
      const bad = [first.toUpperCase(), 'unknown', 'toString'];
      const request = () => add(server, entries([first, ...bad, second]));
      const failure = await expectRejection(server, request, { status: 422, code: unknownCode });
      expect(failure.items).toEqual(
        bad.map((memberId) => ({
          code: unknownCode,
          message: expect.stringMatching(` ${memberId}(?: not found)?\\.$`),
        })),
      );
    });

    test('has at most 10,000 entries and adds none if one is unknown', async () => {
      await using server = await startWithMembers();
      const ids = createIds('many', rounds(10_000));
      await make(server, ids);
      const request = () => add(server, entries([...ids.slice(0, 500), 'unknown', ...ids.slice(501)]));
      const failure = await expectRejection(server, request, { status: 422, code: unknownCode });
      expect(failure.items).toHaveLength(1);
      const tooMany = () => add(server, entries(createIds('too-many', 10_001)));
      await expectRejection(server, tooMany, { status: 422, code: 'FIELD_VALUE' });
      await add(server, entries(ids));
      expect(await membersIn(server)).toEqual(ids);
    });

    test('lists at most a hundred unknown entries in the error', async () => {
      await using server = await startWithMembers();
      const failure = await catchClientError(add(server, entries(createIds('unknown', 101))));
      expect(failure.items).toHaveLength(100);
    });
  });

  describe('roles of the group', () => {
    const common = ['CLI-1STPARTY', 'AUTH-BASIC', 'ADMIN'];

    test('must all be roles of the caller, including those of dependencies', async () => {
      await using server = await startWithMembers();
      const rejected = { status: 404, code: 'GROUP_NOT_FOUND' };
      for (const authorities of [common, [...common, 'APPROVE'], [...common, 'DEPLOY']]) {
        const caller = await server.withAuthorities(authorities);
        const request = () => caller.call(id, { params: params('leads'), body: entries(known) });
        await expectRejection(server, request, rejected);
      }
      const holder = await server.withAuthorities([...common, 'APPROVE', 'DEPLOY']);
      await holder.call(id, { params: params('leads'), body: entries(known) });
      expect(await membersIn(server, 'leads')).toEqual(known.toSorted());
    });
  });
}
