/** Paging tests shared by all lists of members. */

import { describe, expect, test } from 'vitest';
import type { ListItems } from '../../../../src/client/index.ts';
import type { OperationId } from '../../../../src/server/operations/index.ts';
import type { Membership } from '../../../../src/server/store/tables.ts';
import type { TestServer } from '../../../harness.ts';
import { catchClientError, createIds, insertMembers, startWithMembers } from './member-fixtures.ts';

export interface MemberList {
  readonly id: OperationId;
  /**
   * Returns the path parameters of the request: the group, under the name that the operation has for it, and others.
   */
  params(groupName: string): Readonly<Record<string, string>>;
  /** Returns the membership that makes this id a member of the list. */
  member(memberId: string): Omit<Membership, 'groupId'>;
  /** The name of the id in an item. */
  readonly field: string;
  /** Whether invalid values of limit and after are rejected or ignored. */
  readonly badPaging: 'rejected' | 'ignored';
}

const everyKind: readonly Omit<Membership, 'groupId'>[] = [
  { kind: 'user', memberId: 'm1' },
  { kind: 'business', memberId: 'm1' },
  { kind: 'service', memberId: 'm1' },
  { kind: 'businessUser', memberId: 'm1', businessId: 'a' },
  { kind: 'businessUser', memberId: 'm2', businessId: 'b' },
  { kind: 'businessUser', memberId: 'm3', businessId: 'a-and-more' },
];

export function testMemberPages({ id, params, member, field, badPaging }: MemberList): void {
  type Query = { limit?: number; after?: string };
  const list = (server: TestServer, query: Query = {}, groupName = 'plain') =>
    server.admin.call(id, { params: params(groupName), query });
  const items = (memberIds: readonly string[]) => memberIds.map((memberId) => ({ [field]: memberId }));
  const all = async (server: TestServer, limit: number) => {
    const found: unknown[] = [];
    for await (const item of server.admin.items(id as keyof ListItems, { params: params('plain'), query: { limit } }))
      found.push(item);
    return found;
  };
  const cursorOf = (link: string | undefined) => {
    const [, url = ''] = /^<(.*)>; rel="next"$/.exec(link ?? '') ?? [];
    return new URL(url).searchParams.get('after') ?? '';
  };

  describe('the list', () => {
    test('is empty for a group without members and for one with members of other kinds', async () => {
      await using server = await startWithMembers();
      expect(await list(server)).toMatchObject({ status: 200, body: [] });
      const own = member('m1');
      await insertMembers(
        server,
        'plain',
        everyKind.filter(({ kind, businessId }) => kind !== own.kind || businessId !== own.businessId),
      );
      await insertMembers(server, 'leads', [member('m9')]);
      expect(await list(server)).toMatchObject({ status: 200, body: [] });
    });

    test('has the members in id order, by the name and by the id of the group', async () => {
      await using server = await startWithMembers();
      await insertMembers(server, 'plain', everyKind);
      await insertMembers(server, 'plain', ['z', 'B', 'b', 'a-', 'a', '10', '9'].map(member));
      const group = await server.appContext.store.groups.getBy('groupName', 'plain');
      const expected = items(['10', '9', 'B', 'a', 'a-', 'b', 'm1', 'z']);
      expect(await list(server)).toMatchObject({ status: 200, body: expected });
      expect(await list(server, {}, group?.groupId)).toMatchObject({ status: 200, body: expected });
    });

    test('has pages of a hundred, or of the limit', async () => {
      await using server = await startWithMembers();
      const ids = createIds('m', 250);
      await insertMembers(server, 'plain', [...ids].reverse().map(member));
      const first = await list(server);
      expect(first).toMatchObject({ status: 206, body: items(ids.slice(0, 100)) });
      const last = await list(server, { limit: 250 });
      expect(last).toMatchObject({ status: 200, body: items(ids) });
      expect(last.headers.link).toBeUndefined();
      expect(await all(server, 7)).toEqual(items(ids));
    });

    test('misses and repeats nothing while members are added and removed', async () => {
      await using server = await startWithMembers();
      const ids = createIds('m', 6);
      await insertMembers(server, 'plain', ids.map(member));
      const first = await list(server, { limit: 3 });
      const after = cursorOf(first.headers.link);
      // The member at the cursor is removed, one before it is added, and one after it.
      await server.appContext.store.transaction(async (tx) => {
        const rows = await tx.memberships.list();
        const current = rows.find(({ memberId }) => memberId === ids[2]);
        await tx.memberships.delete([current?.groupId, current?.kind, current?.businessId ?? '', ids[2]].join('/'));
      });
      await insertMembers(server, 'plain', [member('m000000'), member('m00004x')]);
      const rest = await list(server, { limit: 10, after });
      expect(rest).toMatchObject({ status: 200, body: items(['m00003', 'm00004', 'm00004x', 'm00005']) });
    });

    test(`${badPaging === 'rejected' ? 'rejects' : 'ignores'} invalid values of limit and after`, async () => {
      await using server = await startWithMembers();
      await insertMembers(server, 'plain', ['m1', 'm2'].map(member));
      await insertMembers(server, 'leads', ['m1', 'm2'].map(member));
      const thirdParty = cursorOf((await list(server, { limit: 1 }, 'leads')).headers.link);
      const ofGroups = cursorOf((await server.admin.call('groups.list', { query: { limit: 1 } })).headers.link);
      const bad: Query[] = [{ limit: 0 }, { limit: -1 }, { limit: 1e9 }, { limit: 1.5 }, { limit: Number.NaN }];
      bad.push(...[thirdParty, ofGroups, 'x', '', '__proto__'].map((after) => ({ after })));
      for (const query of bad) {
        if (badPaging === 'ignored')
          expect(await list(server, query)).toMatchObject({ status: 200, body: items(['m1', 'm2']) });
        else expect(await catchClientError(list(server, query)), JSON.stringify(query)).toMatchObject({ status: 400 });
      }
    });
  });
}
