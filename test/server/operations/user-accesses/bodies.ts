/** Body tests shared by all operations that add members. */
import { describe, expect, test } from 'vitest';
import type { OperationId } from '../../../../src/server/operations/index.ts';
import type { TestServer } from '../../../harness.ts';
import { sharedServer } from '../access.ts';
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
      const ids = createIds('many', 10_000);
      await make(server, ids);
      const request = () => add(server, entries([...ids.slice(0, 5000), 'unknown', ...ids.slice(5001)]));
      const failure = await expectRejection(server, request, { status: 422, code: unknownCode });
      expect(failure.items).toHaveLength(1);
      const tooMany = () => add(server, entries([...ids, 'one-more']));
      await expectRejection(server, tooMany, { status: 422, code: 'FIELD_VALUE' });
      await add(server, entries(ids));
      expect(await membersIn(server)).toEqual(ids);
    });

    test('lists at most a hundred of 10,000 unknown entries in the error', async () => {
      await using server = await startWithMembers();
      const failure = await catchClientError(add(server, entries(createIds('unknown', 10_000))));
      expect(failure.items).toHaveLength(100);
    });

    const shared = sharedServer(startWithMembers);

    test.each([
      ['BODY_NOT_JSON', '[{', undefined],
      ['FIELD_TYPE', [5], '[0] must be an object.'],
      ['FIELD_TYPE', [[{ [field]: 'x' }]], '[0] must be an object.'],
      ['FIELD_MISSING', [{}], `[0].${field} is required.`],
      ['FIELD_TYPE', [{ [field]: 5 }], `[0].${field} must be a string.`],
      ['FIELD_TYPE', [{ [field]: null }], `[0].${field} must be a string.`],
      ['FIELD_UNKNOWN', [{ [field]: 'x', more: 1 }], 'Unknown field: [0].more.'],
      ['FIELD_TYPE', 'null', 'The body must be an array.'],
      ['FIELD_TYPE', '"x"', 'The body must be an array.'],
      ['FIELD_TYPE', '7', 'The body must be an array.'],
    ])('is rejected with %s: %j', async (code, body, message) => {
      const server = shared();
      const failure = await expectRejection(server, () => add(server, body), { status: 400, code });
      if (message !== undefined) expect(failure.items).toEqual([expect.objectContaining({ code, message })]);
    });

    test.each(['', 'a b', 'a/b', 'x'.repeat(65), 'ü', '\u0001'])(
      'is rejected if an id is invalid: %j',
      async (memberId) => {
        const server = shared();
        const request = () => add(server, entries([known[0], memberId]));
        const failure = await expectRejection(server, request, { status: 422, code: 'FIELD_VALUE' });
        expect(failure.items).toEqual([
          { code: 'FIELD_VALUE', message: expect.stringContaining(`[1].${field}`), details: { field: `[1].${field}` } },
        ]);
      },
    );

    test('may have ids that are properties of Object.prototype', async () => {
      await using server = await startWithMembers();
      for (const memberId of ['hasOwnProperty', 'valueOf'])
        await expectRejection(server, () => add(server, entries([memberId])), { status: 422, code: unknownCode });
      const raw = `[{"${field}": "${known[0]}", "__proto__": {"${field}": "${known[1]}"}}]`;
      await expectRejection(server, () => add(server, raw), { status: 400, code: 'FIELD_UNKNOWN' });
    });
  });

  test('returns 404 for unknown groups', async () => {
    await using server = await startWithMembers();
    for (const groupName of ['Plain', 'unknown', 'constructor', '__proto__']) {
      const request = () => add(server, entries(known), groupName);
      await expectRejection(server, request, { status: 404, code: 'GROUP_NOT_FOUND' });
    }
    const long = () => add(server, entries(known), 'a'.repeat(101));
    await expectRejection(server, long, { status: 404, code: 'PATH_VALUE' });
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

    test('are hidden in the error: the same response as for an unknown group', async () => {
      await using server = await startWithMembers();
      const caller = await server.withAuthorities(common);
      const hidden = await catchClientError(caller.call(id, { params: params('maintainers'), body: entries(known) }));
      const unknown = await catchClientError(caller.call(id, { params: params('unknown'), body: entries(known) }));
      expect({ ...hidden, requestId: '' }).toEqual({ ...unknown, requestId: '' });
    });

    test('can be granted by a maintainer without a restriction', async () => {
      await using server = await startWithMembers();
      await add(server, entries(known), 'leads');
      expect(await membersIn(server, 'leads')).toHaveLength(2);
    });
  });
}
