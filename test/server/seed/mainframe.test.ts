import { describe, expect, test } from 'vitest';
import { applySeed } from '../../../src/server/seed/apply.ts';
import { SeedDocument } from '../../../src/server/seed/schema.ts';
import { verifyPasswordHash } from '../../../src/server/users/passwords.ts';
import { startServer, type TestServer } from '../../harness.ts';
import { readClaims } from '../operations/user-identities/login-fixtures.ts';
import { logInLegacy, retrieve } from '../operations/user-identities/logon-fixtures.ts';

const mobile = { regionCode: 1, areaCode: 555, phoneNumber: 5550100 };
const seed = SeedDocument.parse({
  users: [{ userId: 'ada', legacyLogons: ['ADA1', 'ada#2', 'ADA#2'] }],
  mainframe: [
    { logon: 'ada1', password: 'FIRST#1', email: 'ada@mainframe.example', mobile },
    { logon: 'FREE1', password: 'FREE#1' },
    { logon: 'BARE1' },
  ],
});

const apply = ({ appContext }: TestServer, more: unknown) => applySeed(SeedDocument.parse(more), appContext);

describe('logons of a seed', () => {
  test('are stored in the mainframe with hashed passwords and assigned to their users', async () => {
    await using server = await startServer({ seed });
    const rows = await server.appContext.store.logons.list();
    expect(rows).toMatchObject([
      { logon: 'ADA1', email: 'ada@mainframe.example', mobile },
      { logon: 'BARE1' },
      { logon: 'FREE1' },
    ]);
    expect(await verifyPasswordHash('FIRST#1', rows[0]?.passwordHash ?? '')).toBe(true);
    expect(rows[1]).toEqual({ logon: 'BARE1' });
    expect(await server.appContext.store.users.get('ada')).toMatchObject({ legacyLogons: ['ADA1', 'ADA#2'] });
    expect(readClaims(await logInLegacy(server, 'ADA1', { secret: 'FIRST#1' }))).toMatchObject({ sub: 'ada' });
    expect(readClaims(await logInLegacy(server, 'FREE1', { secret: 'FREE#1' }))).toMatchObject({ sub: 'logon:FREE1' });
  });

  test('update their contacts, but keep their password', async () => {
    await using server = await startServer({ seed });
    await apply(server, { mainframe: [{ logon: 'ADA1', password: 'OTHER#1', email: 'new@mainframe.example' }] });
    expect(await server.appContext.store.logons.get('ADA1')).toMatchObject({ email: 'new@mainframe.example', mobile });
    await expect(logInLegacy(server, 'ADA1', { secret: 'FIRST#1' })).resolves.toBeDefined();
  });

  test('that are added to or removed from a user lose their sessions', async () => {
    await using server = await startServer({ seed });
    await logInLegacy(server, 'FREE1', { secret: 'FREE#1' });
    await logInLegacy(server, 'ADA1', { secret: 'FIRST#1' });
    await retrieve(server, 'ADA1');
    await apply(server, { users: [{ userId: 'ada', legacyLogons: ['FREE1', 'ADA#2'] }] });
    expect(await server.appContext.store.sessions.count()).toBe(0);
    expect(await server.appContext.store.codes.count()).toBe(0);
    await apply(server, { users: [{ userId: 'ada', lead: false }] });
    expect(await server.appContext.store.users.get('ada')).toMatchObject({ legacyLogons: ['FREE1', 'ADA#2'] });
  });

  test('belong to one user at most', async () => {
    await using server = await startServer({ seed });
    const before = await server.dump();
    await expect(apply(server, { users: [{ userId: 'eve', legacyLogons: ['ada1'] }] })).rejects.toThrow(/legacyLogon/);
    expect(await server.dump()).toEqual(before);
  });

  test.each([
    { mainframe: [{ logon: '1A' }] },
    { mainframe: [{ logon: 'A', password: '' }] },
    { mainframe: [{ logon: 'A', more: 1 }] },
    { mainframe: [{ email: 'a@example.com' }] },
    { users: [{ userId: 'u', legacyLogons: ['TOOLONGER'] }] },
    { products: [{ productAlias: 'a' }] },
    { products: [{ productAlias: 'a', sku: 'b', billingTypes: ['BARTER'] }] },
  ])('reject %j', (document) => {
    expect(SeedDocument.safeParse(document).success).toBe(false);
  });
});

describe('products of a seed', () => {
  const one = { productAlias: 'reports', sku: 'basic' };

  test('are matched by id, or by alias and stock keeping unit, and updated', async () => {
    await using server = await startServer();
    const products = [one, { productId: 'p2', productAlias: 'gift', sku: 'one', billingTypes: ['EXPEND'] }];
    await apply(server, { products });
    const [created] = (await server.appContext.store.products.list()).filter(({ sku }) => sku === 'basic');
    expect(created).toMatchObject({ ...one, productId: expect.stringMatching(/^[0-9a-f]{24}$/), billingTypes: [] });
    await apply(server, {
      products: [
        { ...one, billingTypes: ['PREPAID'] },
        { productId: 'p2', productAlias: 'gifts', sku: 'one' },
      ],
    });
    expect(await server.appContext.store.products.list()).toEqual(
      expect.arrayContaining([
        { ...created, billingTypes: ['PREPAID'] },
        { productId: 'p2', productAlias: 'gifts', sku: 'one', billingTypes: ['EXPEND'] },
      ]),
    );
  });

  test('must not share alias and stock keeping unit', async () => {
    await using server = await startServer();
    const products = [
      { productId: 'a', ...one },
      { productId: 'b', ...one },
    ];
    await expect(apply(server, { products })).rejects.toThrow(/products/);
    expect(await server.appContext.store.products.count()).toBe(0);
  });
});
