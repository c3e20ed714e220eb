/** The generated types are those that TypeScript infers from the schemas. The compiler checks this file; see `npm run types`. */
import { expect, test } from 'vitest';
import type * as z from 'zod';
import type { ErrorDetails, IamClient } from '../../src/client/index.ts';
import type { IamOperations } from '../../src/client/operation-types.ts';
import type { ErrorDetails as ErrorDetailsOfServer } from '../../src/contract/error-body.ts';
import { type Settings, settingsTable } from '../../src/server/config/settings.ts';
import type { InboxItem } from '../../src/server/control/inbox-items.ts';
import type { RequestItem } from '../../src/server/control/request-items.ts';
import type { operations } from '../../src/server/operations/index.ts';
import type { SeedDocument } from '../../src/server/seed/schema.ts';
import type { InboxMessage, RequestRecord, SeedInput, SettingValues } from '../../src/testing/index.ts';
import type { AreasOf } from './inferred-types.ts';

/** Whether each type is assignable to the other. */
type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

type Inferred = AreasOf<typeof operations>;

type Method = (input: never) => Promise<unknown>;

/** The names of methods whose input or result differs, as `area.method`. Inputs are compared in both directions. */
type Different<Generated, Expected> = {
  [Name in keyof Generated & keyof Expected & string]: Generated[Name] extends Method
    ? Expected[Name] extends Method
      ? IsSame<
          [Parameters<Generated[Name]>, Awaited<ReturnType<Generated[Name]>>],
          [Parameters<Expected[Name]>, Awaited<ReturnType<Expected[Name]>>]
        > extends true
        ? never
        : Name
      : Name
    : `${Name}.${Different<Generated[Name], Expected[Name]>}`;
}[keyof Generated & keyof Expected & string];

/** Does not compile unless the type argument is `true`. */
function assertType<_Result extends true>(): void {}

test('the methods of the client are those of the operations', () => {
  assertType<IsSame<keyof IamOperations, keyof Inferred>>();
  assertType<IsSame<keyof IamOperations['userIdentities'], keyof Inferred['userIdentities']>>();
  assertType<IsSame<Different<IamOperations, Inferred>, never>>();
  assertType<IsSame<IamOperations, Inferred>>();
  // @ts-expect-error a result without a field is not the same
  assertType<IsSame<Different<{ m(): Promise<{ a: string }> }, { m(): Promise<{ a?: string }> }>, never>>();
  // @ts-expect-error an input with another field is not the same
  assertType<IsSame<Different<{ a: { m(i: { a: 1 }): Promise<1> } }, { a: { m(i: { b: 1 }): Promise<1> } }>, never>>();
});

test('the data of the libraries is that of the schemas', () => {
  assertType<IsSame<ErrorDetails, ErrorDetailsOfServer>>();
  assertType<IsSame<InboxMessage, z.output<typeof InboxItem>>>();
  assertType<IsSame<RequestRecord, z.output<typeof RequestItem>>>();
  assertType<IsSame<SeedInput, z.input<typeof SeedDocument>>>();
});

test('the methods of the client require what the operations require', () => {
  const use = (client: IamClient) => [
    () => client.groups.list(),
    () => client.groups.addRole({ params: { groupId: 'ops' }, body: { roleName: 'DEPLOY' } }),
    // @ts-expect-error no body
    () => client.groups.create(),
    // @ts-expect-error no path parameter
    () => client.groups.get({}),
    // @ts-expect-error an unknown field
    () => client.groups.create({ body: { groupName: 'ops', role: [] } }),
  ];
  expect(use).toBeTypeOf('function');
});

type KebabCase<Text extends string> = Text extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `-${Lowercase<Head>}`}${KebabCase<Tail>}`
  : '';

/** The values of settings by name, without `undefined`. */
type Values<S> = { readonly [Name in keyof S]-?: Exclude<S[Name], undefined> };

test('the settings of the test library are those of the server', () => {
  type OfServer = { [Key in keyof Settings as KebabCase<Key>]: Settings[Key] };
  assertType<IsSame<Values<SettingValues>, Pick<Values<OfServer>, keyof SettingValues>>>();
  expect(Object.values(settingsTable).length).toBeGreaterThan(30);
});
