import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readStream } from '../../../src/cli/io/io.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import type { ManifestOperation } from '../../../src/contract/manifest-types.ts';
import { drainStream } from '../drain-stream.ts';

/** An operation with every kind of field. */
const create: ManifestOperation = {
  id: 'users.create',
  title: 'Create a user',
  description: '',
  method: 'POST',
  path: '/groups/{groupId}/user-accounts',
  auth: 'caller',
  roles: 'ADMIN',
  statuses: [201],
  softErrors: false,
  effect: 'write',
  idempotent: false,
  command: 'groups robots add',
  examples: [{ title: 'One', command: 'ops' }],
  params: [{ name: 'groupId', required: true, schema: { type: 'string', description: 'Id or name of the group' } }],
  query: [{ name: 'remember-me', required: false, schema: { type: 'boolean' } }],
  body: {
    type: 'object',
    required: ['userName'],
    properties: {
      userName: { type: 'string' },
      kind: { type: 'string', enum: ['V1', 'V2'] },
      lead: { type: 'boolean' },
      password: { type: 'string', sensitive: 'secret' },
      grantTypes: { type: 'array', items: { type: 'string' } },
      userMobile: { type: 'object', properties: { areaCode: { type: 'integer' } } },
      pairs: { type: 'array', items: { type: 'object', properties: { a: {}, b: {} } } },
    },
  },
  response: { status: 201, page: false, secret: false, entity: false },
};

async function body(...words: string[]): Promise<unknown> {
  const stdout = new PassThrough();
  const io = {
    stdin: Readable.from(['hush\n']),
    stdout,
    stderr: new PassThrough(),
    signal: new AbortController().signal,
    releaseSignals: () => undefined,
  };
  const program = await buildProgram(
    io,
    { variables: { XDG_CONFIG_HOME: '/nonexistent' }, now: () => 0, random: () => 0 },
    { manifest: { ...manifest, operations: [...manifest.operations, create] } },
  );
  await program.parseAsync(['groups', 'robots', 'add', 'ops', ...words, '--dry-run', '-o', 'json', '-q'], {
    from: 'user',
  });
  return JSON.parse(drainStream(stdout)) as unknown;
}

describe('fields as options', () => {
  test('nested nouns, dotted objects, numbers, lists', async () => {
    const plan = await body('--user-name', 'u', '--user-mobile.area-code', '11', '--grant-type', 'a,b', '--kind', 'V2');
    expect(plan).toMatchObject({
      body: { userName: 'u', userMobile: { areaCode: 11 }, grantTypes: ['a', 'b'], kind: 'V2' },
    });
  });

  test('a boolean flag is true, and accepts an explicit false', async () => {
    expect(await body('--user-name', 'u', '--lead')).toMatchObject({ body: { lead: true } });
    expect(await body('--user-name', 'u', '--lead', 'false', '--remember-me')).toMatchObject({
      body: { lead: false },
      url: expect.stringMatching(/groups\/ops\/user-accounts\?remember-me=true$/),
    });
  });

  test('a secret is read from a file and not printed', async () => {
    expect(await body('--user-name', 'u', '--password-file', '-')).toMatchObject({ body: { password: '(secret)' } });
    await expect(body('--user-name', 'u', '--password', 'x')).rejects.toThrow('unknown option');
  });

  test.each([
    [['--user-name', 'u', '--kind', 'V3'], 'Allowed choices are V1, V2'],
    [['--user-name', 'u', '--user-mobile.area-code', '1.5'], 'whole number'],
    [['--kind', 'V1'], '--user-name is missing'],
    [['--user-name', 'u', '--pair', 'x'], 'in a file with -f'],
  ])('%j is rejected before the request', async (words, message) => {
    await expect(body(...words)).rejects.toThrow(message);
  });
});

test('an interrupt ends reading of standard input', async () => {
  const controller = new AbortController();
  const text = readStream(new PassThrough(), controller.signal, 100);
  controller.abort(new Error('interrupted'));
  await expect(text).rejects.toThrow('interrupted');
});
