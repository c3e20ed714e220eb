/** Creates corporate groups, and contains the body tests shared by create and update. */
import { describe, expect, test } from 'vitest';
import type { OperationId } from '../../../../src/server/operations/index.ts';
import { rounds } from '../../../effort.ts';
import type { TestServer } from '../../../harness.ts';
import { createIds, expectRejection, startWithMembers } from '../user-accesses/member-fixtures.ts';

/** Creates a corporate group on a server with the businesses a and b. */
export async function makeCorporateGroup(
  server: TestServer,
  corporateGroupName: string,
  businessIds: readonly string[] = [],
): Promise<string> {
  const businesses = businessIds.map((businessId) => ({ businessId }));
  const { corporateGroupId } = await server.admin.corporateGroups.create({ body: { corporateGroupName, businesses } });
  return corporateGroupId;
}

/** Creates businesses that are in no corporate group. */
async function makeBusinesses(server: TestServer, businessIds: readonly string[]): Promise<void> {
  await server.appContext.store.transaction(async (tx) => {
    for (const businessId of businessIds) await tx.businesses.insert({ businessId, businessName: businessId });
  });
}

interface WriteOperation {
  readonly id: OperationId;
  /** Creates the target of a write and returns its path. */
  prepare(server: TestServer): Promise<{ readonly params?: Readonly<Record<string, string>> }>;
}

const names = {
  available: [
    'Holding',
    'HOLDING',
    ' holding',
    'hölding',
    'ho\u0308lding',
    'constructor',
    '__proto__',
    'toString',
    'a/b',
  ],
  invalid: ['a\nb', '..', 'me'],
};

/** Tests the names and businesses that a write accepts and rejects. */
export function testCorporateBodies({ id, prepare }: WriteOperation): void {
  const start = async () => {
    const server = await startWithMembers();
    const input = await prepare(server);
    const write = (body: unknown) => server.admin.call(id, { ...input, body });
    return { server, write, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

  describe('the name', () => {
    test('is accepted if only other names are taken', async () => {
      await using fixture = await start();
      await makeCorporateGroup(fixture.server, 'holding');
      for (const corporateGroupName of names.available) {
        expect([201, 204]).toContain((await fixture.write({ corporateGroupName })).status);
        const { items } = await fixture.server.admin.corporateGroups.list({ query: { name: corporateGroupName } });
        expect(items).toMatchObject([{ corporateGroupName }]);
      }
    });

    test('is rejected if it is taken or invalid', async () => {
      await using fixture = await start();
      await makeCorporateGroup(fixture.server, 'holding');
      const write = (corporateGroupName: string) => () => fixture.write({ corporateGroupName });
      await expectRejection(fixture.server, write('holding'), { status: 412, code: 'CORPORATE_GROUP_NAME_TAKEN' });
      for (const name of names.invalid)
        await expectRejection(fixture.server, write(name), { status: 422, code: 'FIELD_VALUE' });
    });
  });

  describe('the businesses', () => {
    test('are deduplicated and keep their order', async () => {
      await using fixture = await start();
      const businesses = ['b', 'a', 'b'].map((businessId) => ({ businessId }));
      await fixture.write({ corporateGroupName: 'new', businesses });
      const { items } = await fixture.server.admin.corporateGroups.list({ query: { name: 'new' } });
      expect(items).toMatchObject([{ businesses: [{ businessId: 'b' }, { businessId: 'a' }] }]);
    });

    test('are rejected as a whole if some are unknown; the error names all of those', async () => {
      await using fixture = await start();
      const unknownIds = ['A', 'missing', 'constructor', '__proto__'];
      const businesses = ['a', ...unknownIds, 'b'].map((businessId) => ({ businessId }));
      const failure = await expectRejection(
        fixture.server,
        () => fixture.write({ corporateGroupName: 'new', organizationId: 'o', businesses }),
        { status: 422, code: 'LISTED_BUSINESS_UNKNOWN' },
      );
      expect(failure.items).toEqual(
        unknownIds.map((businessId) => ({
          code: 'LISTED_BUSINESS_UNKNOWN',
          message: expect.stringContaining(businessId),
        })),
      );
    });

    test('are rejected if one is in another corporate group; the error names that group', async () => {
      await using fixture = await start();
      await makeCorporateGroup(fixture.server, 'holding', ['b']);
      const failure = await expectRejection(
        fixture.server,
        () => fixture.write({ corporateGroupName: 'new', businesses: [{ businessId: 'a' }, { businessId: 'b' }] }),
        { status: 422, code: 'BUSINESS_IN_CORPORATE_GROUP' },
      );
      expect(failure.items).toMatchObject([{ message: expect.stringContaining('"holding"') }]);
    });

    test('are limited to 10,000 and rejected as a whole if one of that many is unknown', async () => {
      await using fixture = await start();
      const ids = createIds('many', rounds(10_000));
      await makeBusinesses(fixture.server, ids);
      const body = (businessIds: readonly string[]) => ({
        corporateGroupName: 'new',
        businesses: businessIds.map((businessId) => ({ businessId })),
      });
      const oneBad = () => fixture.write(body([...ids.slice(1), 'unknown']));
      await expectRejection(fixture.server, oneBad, { status: 422, code: 'LISTED_BUSINESS_UNKNOWN' });
      const tooMany = () => fixture.write(body(createIds('too-many', 10_001)));
      await expectRejection(fixture.server, tooMany, { status: 422, code: 'FIELD_VALUE' });
      await fixture.write(body(ids));
      const row = await fixture.server.appContext.store.corporateGroups.getBy('business', ids.at(-1) ?? '');
      expect(row?.businesses).toEqual(ids);
    });
  });
}
