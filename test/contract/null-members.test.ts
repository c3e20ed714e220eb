/** Which members that are null count as absent: in objects, lists, options of unions and maps, by the schema. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { withoutNullMembers } from '../../src/contract/schemas/null-members.ts';
import { Empty } from '../../src/contract/schemas/primitives.ts';
import { SeedDocument } from '../../src/server/seed/schema.ts';

const Contact = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('mail'), tags: z.array(z.string()).optional() }),
  z.strictObject({ kind: z.literal('phone'), parts: z.strictObject({ area: z.int().optional() }).optional() }),
]);
const Body = z.strictObject({
  name: z.string().optional(),
  note: z.string().nullable().optional(),
  contacts: z.array(Contact).optional(),
  settings: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
  limits: z.record(z.string(), z.int().nullable()).optional(),
});

test.each([
  [Body, { name: null, note: null, unknown: null }, { note: null }],
  [Body, { contacts: [{ kind: 'mail', tags: null, other: null }] }, { contacts: [{ kind: 'mail' }] }],
  [Body, { contacts: [{ kind: 'phone', parts: { area: null } }] }, { contacts: [{ kind: 'phone', parts: {} }] }],
  [Body, { contacts: [{ kind: null, tags: null }, null] }, { contacts: [{}, null] }],
  [Body, { settings: { port: null, color: 'x' } }, { settings: { color: 'x' } }],
  [Body, { limits: { daily: null } }, { limits: { daily: null } }],
  [Body, { settings: null, limits: null, contacts: null }, {}],
  [Body, { name: [null], settings: [null] }, { name: [null], settings: [null] }],
  [Empty, { any: null, more: { a: null } }, { more: { a: null } }],
  [z.array(Body), [{ name: null }, null, 'x'], [{}, null, 'x']],
  [Body, null, null],
])('%#: %o', (schema, value, expected) => {
  expect(withoutNullMembers(schema, value)).toEqual(expected);
});

test('a seed may have them in every entry', () => {
  const provider = {
    kind: 'oidc',
    name: 'c',
    issuer: 'https://i.example',
    clientId: 'a',
    jwksUri: 'https://i.example/k',
  };
  const seed = {
    users: null,
    providers: [{ ...provider, emailDomains: null, certificates: null }],
    settings: { port: null },
  };
  expect(withoutNullMembers(SeedDocument, seed)).toEqual({ providers: [provider], settings: {} });
});
