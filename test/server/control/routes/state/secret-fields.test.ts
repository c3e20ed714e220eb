/** The fields of the tables whose values no difference of two states contains. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonSchema } from '../../../../../src/contract/manifest-types.ts';
import { createSecretCheck } from '../../../../../src/server/snapshots/dump-diff.ts';
import { tableNames } from '../../../../../src/server/store/table-shape.ts';
import { type TableName, tables } from '../../../../../src/server/store/tables.ts';
import { looksSensitive } from '../../../../secret-names.ts';

const secretFields = {
  signingKeys: ['privateJwk'],
  clients: ['secretHash', 'previousSecret'],
  apiKeys: ['keyHash', 'previousKey'],
  users: ['passwordHash', 'replacedHash'],
  sessions: ['deviceTokenHash', 'browser'],
  refreshTokens: ['tokenHash'],
  usedRefreshTokens: ['tokenHash'],
  revokedTokens: ['tokenId'],
  messages: ['text', 'sealedCode'],
  storeSecrets: ['value'],
  codes: ['codeHash'],
  tickets: ['ticketHash', 'authorization', 'deviceCodeHash', 'pushedRequest', 'providerLogin'],
  usedProofs: ['proofHash'],
  devices: ['tokenHash'],
  logons: ['passwordHash'],
  opaqueTokens: ['tokenHash'],
};

/** Fields that have the name of a credential and contain none, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'messages codeId': 'the id of a code, not the code',
  'codes codeId': 'the id of a code, not the code',
  'apiKeys apiKeyId': 'the id of a key, not a credential',
  'clients requirePushedAuthorizationRequests': 'a setting of logins',
  'providers authorizationEndpoint': 'an address',
  'signingKeys longestToken': 'a duration',
};

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isSecret: boolean;
}

function listFields(table: TableName): Field[] {
  const isSecret = createSecretCheck(table);
  const row = z.toJSONSchema(tables[table].schema, { unrepresentable: 'any' }) as JsonSchema;
  const entries = [row, ...(row.oneOf ?? [])].flatMap(({ properties = {} }) => Object.entries(properties));
  return entries.map(([name, schema]) => ({ name, schema, isSecret: isSecret(name) }));
}

describe('the secret fields of the tables', () => {
  test('are those that their schemas mark', () => {
    const marked = tableNames.map((table) => {
      const secrets = listFields(table).filter(({ isSecret }) => isSecret);
      return [table, secrets.map(({ name }) => name)] as const;
    });
    expect(Object.fromEntries(marked.filter(([, fields]) => fields.length > 0))).toEqual(secretFields);
  });

  test('include every field with the name of a credential, except the listed ones', () => {
    const fields = tableNames.flatMap((table) =>
      listFields(table).map((field) => ({ ...field, where: `${table} ${field.name}` })),
    );
    expect(fields.length).toBeGreaterThan(150);
    const open = fields.filter(({ name, isSecret }) => looksSensitive(name) && !isSecret);
    expect(open.map(({ where }) => where).sort()).toEqual(Object.keys(exceptions).sort());
  });

  test('are marked as a whole: a mark of a part would not hide the field', () => {
    const fields = tableNames.flatMap(listFields).filter(({ isSecret }) => !isSecret);
    expect(fields.filter(({ schema }) => JSON.stringify(schema).includes('"sensitive"'))).toEqual([]);
  });
});
