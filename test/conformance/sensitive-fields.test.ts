/** The fields that are marked as sensitive; the snapshot makes a removed mark visible in review. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonSchema } from '../../src/contract/manifest-types.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { oauthOperations } from '../../src/server/oauth/index.ts';
import { operations } from '../../src/server/operations/index.ts';
import { looksSensitive } from '../secret-names.ts';

interface Field {
  /** `operation place path`. */
  readonly where: string;
  readonly name: string;
  readonly level: string | undefined;
}

const registry: readonly Operation<never>[] = [...Object.values(operations), ...oauthOperations, ...controlRoutes];

/** Every field of a schema, also within one that is sensitive as a whole. The schemas of the registry are not recursive. */
function fieldsOf(schema: z.ZodType, io: 'input' | 'output', where: string, name = ''): Field[] {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
  const visit = (node: JsonSchema, path: string, last: string): Field[] => {
    const target = node.$ref === undefined ? node : { ...$defs[node.$ref.replace('#/$defs/', '')], ...node };
    const { anyOf = [], properties = {}, items, additionalProperties: others } = target;
    return [
      ...(path === '' && target.sensitive === undefined
        ? []
        : [{ where: `${where} ${path || '(all of it)'}`, name: last, level: target.sensitive }]),
      ...anyOf.flatMap((branch) => visit(branch, path, last)),
      ...Object.entries(properties).flatMap(([key, inner]) => visit(inner, path === '' ? key : `${path}.${key}`, key)),
      ...(items ? visit(items, `${path}[]`, '') : []),
      ...(typeof others === 'object' ? visit(others, `${path}.*`, '') : []),
    ];
  };
  return visit(root, name, name);
}

function declaredFields({ id, request, response }: Operation<never>): Field[] {
  const inShape = (place: 'params' | 'query' | 'headers') =>
    Object.entries(request[place] ?? {}).flatMap(([name, schema]) => fieldsOf(schema, 'input', `${id} ${place}`, name));
  const responseSchema = 'page' in response ? response.page : 'body' in response ? response.body : undefined;
  return [
    ...(['params', 'query', 'headers'] as const).flatMap(inShape),
    ...(request.body ? fieldsOf(request.body, 'input', `${id} body`) : []),
    ...(responseSchema ? fieldsOf(responseSchema, 'output', `${id} response`) : []),
  ];
}

const declared = registry.flatMap(declaredFields);

/** Fields that have the name of a credential and contain none, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  regionCode: 'the country code of a phone number',
  areaCode: 'the area code of a phone number',
  tokenType: 'the constant Bearer',
  token_type: 'the constant Bearer',
  testToken: 'how a token differs from a normal one',
  apiKeyId: 'the id of a key, not a credential',
  apiKeys: 'entries of a seed, whose secrets are marked, or their number',
  authorization: 'what a fault changes in the response at a redirect URI',
  requirePushedAuthorizationRequests: 'whether a client must push its requests',
  nonce: 'a value of the application, which its ID token contains',
  code_challenge: 'a hash of the verifier',
  code_challenge_method: 'the constant S256',
  'hash-concurrency': 'a number of computations',
  'max-token': 'a length',
};

const exceptionsAt: Readonly<Record<string, string>> = {
  'control.request-why response errors[].code': 'the code of an error',
  'control.events response end.errors[].code': 'the code of an error',
  'control.token-issue body signature': 'broken or wrong-key',
  'control.coverage response codes': 'a count of error codes',
  'control.coverage response items[].codes': 'codes of errors',
  'control.coverage response items[].codes[].code': 'the code of an error',
};

describe('the sensitive fields', () => {
  test('match the committed list', async () => {
    const lines = declared.flatMap(({ where, level }) => (level === undefined ? [] : [`${where}: ${level}\n`]));
    expect(lines.length).toBeGreaterThan(50);
    await expect(lines.join('')).toMatchFileSnapshot('./__snapshots__/sensitive-fields.txt');
  });

  test('include every field with the name of a credential, except the listed ones', () => {
    const open = declared.filter(({ name, level }) => level === undefined && looksSensitive(name));
    const unexplained = open.filter(({ where, name }) => !(name in exceptions) && !(where in exceptionsAt));
    expect(unexplained.map(({ where }) => where)).toEqual([]);
    const names = new Set(open.map(({ name }) => name));
    const places = new Set(open.map(({ where }) => where));
    expect(Object.keys(exceptions).filter((name) => !names.has(name) && looksSensitive(name))).toEqual([]);
    expect(Object.keys(exceptionsAt).filter((where) => !places.has(where))).toEqual([]);
  });

  test('include no path parameter, because logs and traces contain paths', () => {
    expect(declared.filter(({ where, level }) => level !== undefined && where.split(' ')[1] === 'params')).toEqual([]);
  });

  test('mark every response with a secret, so that commands can write it to a file', () => {
    for (const { id, response } of Object.values(operations) as Operation<never>[]) {
      const secrets = declared.filter(({ where, level }) => level === 'secret' && where.startsWith(`${id} response `));
      if (secrets.length > 0) expect([id, response]).toMatchObject([id, { secret: true }]);
    }
  });
});
