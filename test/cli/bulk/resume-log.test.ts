import { appendFile, chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import {
  errorResponse,
  type FakeHandler,
  type FakeResponse,
  type FakeServer,
  startFakeServer,
} from '../../client/fake-server.ts';
import { type CliResult, Home, test, tokenVariables } from '../run-cli.ts';

type Responses = Record<string, FakeResponse>;

/** Creates groups, or returns the configured response for a name. */
function groupServer(responses: Responses = {}) {
  const respond: FakeHandler = ({ body }) => {
    const { groupName } = JSON.parse(body || '{}') as { groupName: string };
    return responses[groupName] ?? { status: 201, json: { groupId: `id-${groupName}` } };
  };
  return startFakeServer(respond);
}

function take(server: FakeServer): string[] {
  const received = server.received as unknown as { body: string }[];
  return received.splice(0).map(({ body }) => (JSON.parse(body) as { groupName: string }).groupName);
}

const creating = ['--operation', 'groups.create', '-o', 'jsonl', '--concurrency', '1'];

function run(home: Home, server: FakeServer, words: readonly string[], signal?: AbortSignal): Promise<CliResult> {
  const runOptions = { url: server.url, variables: tokenVariables, ...(signal ? { signal } : {}) };
  return home.iam(['bulk', ...words], runOptions);
}

const states = ({ out }: CliResult) =>
  out
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { line: number; state: string }).state);

async function rows(home: Home, text = 'groupName\na\nb\nc\n'): Promise<string> {
  await writeFile(home.file('rows.csv'), text);
  return home.file('rows.csv');
}

/** The text of a reject file without the line that names its run. */
const rejectsIn = async (file: string) =>
  (await readFile(file, 'utf8')).replace(/^(sep=.\n)?#iam-rejects [0-9a-f-]{36}\n/, '$1');

describe('a second run with the same rows', () => {
  test('does nothing if all rows are done', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home);
    expect((await run(home, server, ['run', file, ...creating])).code).toBe(0);
    expect(take(server)).toEqual(['a', 'b', 'c']);
    const again = await run(home, server, ['run', file, ...creating]);
    expect(again).toEqual({ code: 0, out: '', err: '0 of 0 rows done; 3 were done before.\n' });
    expect(take(server)).toEqual([]);
  });

  test('sends rejected rows again and rewrites the reject file', async ({ home }) => {
    const responses: Responses = { a: errorResponse(412, 'X'), c: errorResponse(422, 'Y') };
    await using server = await groupServer(responses);
    const file = await rows(home);
    const first = await run(home, server, ['run', file, ...creating]);
    expect([first.code, states(first)]).toEqual([8, ['failed', 'ok', 'failed']]);
    expect(first.err).toContain('2 rows failed');
    expect(await rejectsIn(home.file('rows.rejects.csv'))).toBe('groupName\na\nc\n');
    expect((await stat(home.file('rows.rejects.csv'))).mode & 0o777).toBe(0o600);
    take(server);
    delete responses.a;
    expect((await run(home, server, ['run', file, ...creating])).code).toBe(8);
    expect(take(server)).toEqual(['a', 'c']);
    expect(await rejectsIn(home.file('rows.rejects.csv'))).toBe('groupName\nc\n');
    delete responses.c;
    expect((await run(home, server, ['run', file, ...creating])).code).toBe(0);
    expect(take(server)).toEqual(['c']);
    await expect(stat(home.file('rows.rejects.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('resumes after a signal; requests in progress are finished and recorded', async ({ home }) => {
    const over = new AbortController();
    await using server = await startFakeServer(() => {
      over.abort('SIGINT');
      return { status: 201, json: { groupId: 'g' } };
    });
    const file = await rows(home);
    const first = await run(home, server, ['run', file, ...creating], over.signal);
    expect([first.code, states(first)]).toEqual([130, ['ok']]);
    expect(first.err).toContain('Interrupted');
    expect(take(server)).toEqual(['a']);
    expect((await run(home, server, ['run', file, ...creating])).code).toBe(0);
    expect(take(server)).toEqual(['b', 'c']);
  });

  test.each([
    ['without a response', { hangUp: true }],
    ['with an unknown outcome', errorResponse(503, 'OUTCOME_UNKNOWN')],
  ])('repeats a non-idempotent row %s only with --repeat-unknown', async (_what, response) => {
    await using home = await Home.make();
    const responses: Responses = { b: response };
    await using server = await groupServer(responses);
    const file = await rows(home);
    const first = await run(home, server, ['run', file, ...creating]);
    expect([first.code, states(first)]).toEqual([8, ['ok', 'unknown', 'ok']]);
    await expect(stat(home.file('rows.rejects.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(first.err).toContain('2 of 3 rows done, 1 unknown.');
    expect(first.err).toContain(`iam bulk retry ${home.file('rows.resume-log')} --repeat-unknown`);
    expect(first.err).not.toContain('rejects');
    take(server);
    delete responses.b;
    const second = await run(home, server, ['run', file, ...creating]);
    expect([second.code, states(second), take(server)]).toEqual([8, ['unknown'], []]);
    const retried = await run(home, server, ['retry', home.file('rows.resume-log'), '--repeat-unknown']);
    expect([retried.code, take(server)]).toEqual([0, ['b']]);
  });

  test('repeats a row with an idempotent operation', async ({ home }) => {
    const state = { first: true };
    await using server = await startFakeServer(({ method }) => {
      if (method === 'GET') return { json: [] };
      if (!state.first) return { json: {} };
      state.first = false;
      return { hangUp: true };
    });
    const file = await rows(home, 'operation,groupId,groupName\ngroups.update,ops,x\n');
    expect((await run(home, server, ['run', file])).code).toBe(8);
    expect((await run(home, server, ['run', file])).code).toBe(0);
    expect(server.received.filter(({ method }) => method !== 'GET')).toHaveLength(2);
  });

  test.each([
    ['a create that finds it as requested', 'groups.create', 'groupName\na\n', 'GROUP_NAME_TAKEN', 412, 'ok'],
    [
      'a create that finds another',
      'groups.create',
      'groupName,organizationId\na,o\n',
      'GROUP_NAME_TAKEN',
      412,
      'failed',
    ],
    ['a delete that finds nothing', 'groups.remove', 'groupId\na\n', 'GROUP_NOT_FOUND', 404, 'ok'],
    ['a delete that is refused', 'groups.remove', 'groupId\na\n', 'GROUP_IN_USE', 412, 'failed'],
  ])(
    'counts a repeated row as done if the rejection proves it: %s',
    async (_, operation, text, code, status, state) => {
      await using home = await Home.make();
      const replies: FakeResponse[] = [{ hangUp: true }, errorResponse(status, code)];
      const group = { groupId: 'g', groupName: 'a', roles: [], dependencies: [] };
      await using server = await startFakeServer(({ method }) =>
        method === 'GET' ? { json: [group] } : (replies.shift() ?? { status: 500 }),
      );
      const words = ['run', await rows(home, text), '--operation', operation, '-o', 'jsonl', '--yes'];
      const first = await run(home, server, words);
      expect([first.code, states(first)]).toEqual([8, ['unknown']]);
      const retry = ['retry', home.file('rows.resume-log'), '--repeat-unknown', '-o', 'jsonl', '--yes'];
      const second = await run(home, server, retry);
      expect([second.code, states(second)]).toEqual([state === 'ok' ? 0 : 8, [state]]);
      expect(replies).toEqual([]);
    },
  );

  test('with --if-not-exists repeats what may have been created', async ({ home }) => {
    const responses: Responses = { b: { hangUp: true } };
    await using server = await startFakeServer(({ method, path, body }) => {
      if (method === 'GET') return { json: path.includes('name=b') ? [{ groupId: 'g', groupName: 'b' }] : [] };
      const { groupName = '' } = JSON.parse(body || '{}') as { groupName?: string };
      return responses[groupName] ?? { status: 201, json: { groupId: `id-${groupName}` } };
    });
    const file = await rows(home);
    expect(states(await run(home, server, ['run', file, ...creating]))).toEqual(['ok', 'unknown', 'ok']);
    responses.b = errorResponse(412, 'GROUP_NAME_TAKEN');
    const again = await run(home, server, ['run', file, ...creating, '--if-not-exists']);
    expect(again).toMatchObject({ code: 0, err: '1 of 1 rows done; 2 were done before.\n' });
    expect(JSON.parse(again.out)).toMatchObject({
      state: 'ok',
      id: 'g',
      message: 'Already exists; nothing was changed.',
    });
  });

  test('with --if-not-exists, a row with several matches fails and the next one runs', async ({ home }) => {
    await using server = await startFakeServer(({ method, body }) => {
      if (method === 'GET') return { json: ['g', 'h'].map((groupId) => ({ groupId, groupName: 'b' })) };
      return body.includes('"b"') ? errorResponse(412, 'GROUP_NAME_TAKEN') : { status: 201, json: { groupId: 'new' } };
    });
    const outcome = await run(home, server, ['run', await rows(home), ...creating, '--if-not-exists']);
    expect([outcome.code, states(outcome)]).toEqual([8, ['ok', 'failed', 'ok']]);
    expect(outcome.out).toContain('2 groups exist: g (b), h (b). None was created.');
  });

  test('treats a row sent by a killed run as unanswered and ignores a partial line', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home);
    await run(home, server, ['run', file, ...creating]);
    take(server);
    const [heading = ''] = (await readFile(home.file('rows.resume-log'), 'utf8')).split('\n');
    await writeFile(home.file('rows.resume-log'), `${heading}\n{"row":1,"line":2,"state":"ok"}\n`);
    await appendFile(home.file('rows.resume-log'), '{"row":2,"line":3,"state":"sent"}\n{"row":3,"li');
    const outcome = await run(home, server, ['run', file, ...creating]);
    expect([outcome.code, states(outcome), take(server)]).toEqual([8, ['unknown', 'ok'], ['c']]);
    const lines = (await readFile(home.file('rows.resume-log'), 'utf8')).trim().split('\n');
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('the resume log', () => {
  test('is private and records each row before it is sent and after its response', async ({ home }) => {
    await using server = await groupServer({ a: errorResponse(422, 'X', 'not found') });
    await run(home, server, ['run', await rows(home, 'groupName\na\n'), ...creating]);
    const file = home.file('rows.resume-log');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [heading, ...entries] = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(heading).toMatchObject({ resumeLog: 1, operation: 'groups.create', server: server.url });
    expect(entries).toEqual([
      { row: 1, line: 2, state: 'sent' },
      { row: 1, line: 2, state: 'failed', status: 422, code: 'X' },
    ]);
  });

  test.each([
    ['other rows', async (home: Home) => void (await rows(home, 'groupName\nz\n'))],
    ['another server', async () => undefined],
    ['another operation', async () => undefined],
  ])('of %s is rejected and nothing is sent', async (what, change) => {
    await using home = await Home.make();
    await using server = await groupServer();
    await using other = await groupServer();
    const file = await rows(home);
    await run(home, server, ['run', file, ...creating]);
    take(server);
    await change(home);
    const target = what.endsWith('server') ? other : server;
    const isOmitted = what.endsWith('operation');
    const outcome = await run(home, target, ['run', file, ...(isOmitted ? [] : creating)]);
    expect([outcome.code, outcome.err.includes('The resume log ')]).toEqual([2, true]);
    expect(outcome.err.includes('Add --operation groups.create to resume')).toBe(isOmitted);
    expect([...take(server), ...take(other)]).toEqual([]);
  });

  test('of a file with another ending names that file', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home);
    await run(home, server, ['run', file, ...creating]);
    await writeFile(home.file('rows.jsonl'), '{"groupName":"z"}\n');
    const { code, err } = await run(home, server, ['run', home.file('rows.jsonl'), ...creating]);
    expect([code, err]).toEqual([2, expect.stringContaining(`is for other rows, of ${file}.`)]);
  });

  test.each([
    ['a CSV file', 'groupName\nops\n'],
    ['a damaged file', '{"resumeLog":1,"digest":"x"}\nnot JSON\n{"row":1}\n'],
    ['another file format', '{"digest":"x"}\n'],
  ])('is rejected and not changed if it is %s', async (_what, text) => {
    await using home = await Home.make();
    await using server = await groupServer();
    await writeFile(home.file('rows.resume-log'), text);
    expect((await run(home, server, ['run', await rows(home), ...creating])).code).toBe(2);
    expect(await readFile(home.file('rows.resume-log'), 'utf8')).toBe(text);
    expect(take(server)).toEqual([]);
  });

  test('is locked: two concurrent runs send each row once', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home);
    const both = await Promise.all([1, 2].map(() => run(home, server, ['run', file, ...creating])));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(take(server)).toEqual(['a', 'b', 'c']);
  });
});

describe('bulk retry', () => {
  test('sends only failed rows', async ({ home }) => {
    const responses: Responses = { b: errorResponse(412, 'X') };
    await using server = await groupServer(responses);
    await run(home, server, ['run', await rows(home), ...creating, '--max-errors', '1']);
    expect(take(server)).toEqual(['a', 'b']);
    delete responses.b;
    expect((await run(home, server, ['retry', home.file('rows.resume-log')])).code).toBe(0);
    expect(take(server)).toEqual(['b']);
  });

  test.each([
    ['of the run', 'rejected.csv', 'rejected.csv', []],
    ['that it names', 'rejected.csv', 'others.csv', ['--rejects', 'others.csv']],
    ['next to the moved rows', undefined, 'moved.rejects.csv', ['moved.csv']],
  ])('rewrites the reject file %s, each time', async (_what, ofRun, ofRetry, words) => {
    await using home = await Home.make();
    const responses: Responses = { a: errorResponse(412, 'X'), c: errorResponse(422, 'Y') };
    await using server = await groupServer(responses);
    const inHome = (word: string) => (word.startsWith('--') ? word : home.file(word));
    const file = await rows(home);
    await writeFile(home.file('moved.csv'), await readFile(file));
    await run(home, server, ['run', file, ...creating, ...(ofRun ? ['--rejects', home.file(ofRun)] : [])]);
    const rejects = home.file(ofRetry);
    const retry = ['retry', home.file('rows.resume-log'), ...words.map(inHome)];
    const first = await run(home, server, retry);
    expect([first.code, first.err]).toEqual([8, expect.stringContaining(`they are also in ${rejects}.`)]);
    expect(await rejectsIn(rejects)).toBe('groupName\na\nc\n');
    delete responses.a;
    expect((await run(home, server, retry)).code).toBe(8);
    expect(await rejectsIn(rejects)).toBe('groupName\nc\n');
    delete responses.c;
    expect((await run(home, server, retry)).code).toBe(0);
    await expect(stat(rejects)).rejects.toMatchObject({ code: 'ENOENT' });
    if (ofRun) await expect(stat(home.file('rows.rejects.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('accepts a moved file and rejects changed or missing rows and a missing resume log', async ({ home }) => {
    const responses: Responses = { b: errorResponse(412, 'X') };
    await using server = await groupServer(responses);
    const file = await rows(home);
    await run(home, server, ['run', file, ...creating]);
    take(server);
    const resumeLog = home.file('rows.resume-log');
    await writeFile(home.file('changed.csv'), 'groupName\nz\n');
    expect((await run(home, server, ['retry', resumeLog, home.file('changed.csv')])).code).toBe(2);
    await writeFile(home.file('moved.csv'), await readFile(file));
    await rm(file);
    expect((await run(home, server, ['retry', resumeLog])).code).toBe(2);
    expect((await run(home, server, ['retry', home.file('none')])).code).toBe(2);
    expect(take(server)).toEqual([]);
    delete responses.b;
    expect((await run(home, server, ['retry', resumeLog, home.file('moved.csv')])).code).toBe(0);
    expect(take(server)).toEqual(['b']);
  });
});

describe('files of a run', () => {
  test('existing files are not overwritten and nothing is sent', async ({ home }) => {
    await using server = await groupServer();
    const file = await rows(home);
    await writeFile(home.file('existing'), 'precious');
    expect((await run(home, server, ['run', file, ...creating, '--rejects', home.file('existing')])).code).toBe(2);
    expect(await readFile(home.file('existing'), 'utf8')).toBe('precious');
    expect(take(server)).toEqual([]);
  });

  test('the reject file is valid input', async ({ home }) => {
    const responses: Responses = { 'a,"x"\ny': errorResponse(412, 'X') };
    await using server = await groupServer(responses);
    const file = await rows(home, '\ufeffgroupName,roles\r\n"a,""x""\ny",A\r\nb,B\r\n');
    expect((await run(home, server, ['run', file, ...creating])).code).toBe(8);
    take(server);
    delete responses['a,"x"\ny'];
    expect((await run(home, server, ['run', home.file('rows.rejects.csv'), ...creating])).code).toBe(0);
    expect(take(server)).toEqual(['a,"x"\ny']);
  });

  test('secrets are written only to their private file, also on resume', async ({ home }) => {
    let created = 0;
    await using server = await startFakeServer(({ body }) => {
      if (body.includes('rejected') && created === 1) return errorResponse(422, 'X', 'no secret-2 here');
      created += 1;
      return { status: 201, json: { apiKeyId: `k${created}`, apiKey: `very-secret-${created}` } };
    });
    const file = await rows(home, 'appId,clientId,apiKey\nx,y,\nrejected,y,secret-2\n');
    const words = ['run', file, '--operation', 'api-key.create', '--concurrency', '1', '-o', 'jsonl'];
    expect((await run(home, server, words)).code).toBe(2);
    expect(server.received).toEqual([]);
    const secrets = home.file('secrets');
    const first = await run(home, server, [...words, '--secret-output', secrets]);
    expect(first.code).toBe(8);
    created = 2;
    const second = await run(home, server, [...words, '--secret-output', secrets]);
    expect(second.code).toBe(0);
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    const stored = (await readFile(secrets, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(stored).toEqual([
      { line: 2, operation: 'api-key.create', id: 'k1', apiKey: 'very-secret-1' },
      { line: 3, operation: 'api-key.create', id: 'k3', apiKey: 'very-secret-3' },
    ]);
    const resumeLog = await readFile(home.file('rows.resume-log'), 'utf8');
    expect(resumeLog + first.out + first.err + second.out + second.err).not.toContain('secret-');
  });

  test.each(['rejects', 'resume-log'])('no secret file remains if the --%s file cannot be written', async (kind) => {
    await using home = await Home.make();
    await using server = await startFakeServer(() => ({ status: 201, json: { apiKeyId: 'k', apiKey: 'a' } }));
    const file = await rows(home, 'appId,clientId\nx,y\n');
    await mkdir(home.file('existing'));
    const words = ['run', file, '--operation', 'api-key.create', '--secret-output', home.file('secrets')];
    expect((await run(home, server, [...words, `--${kind}`, home.file('existing')])).code).not.toBe(0);
    await expect(stat(home.file('secrets'))).rejects.toThrow('ENOENT');
    expect(server.received).toEqual([]);
    expect((await run(home, server, words)).code).toBe(0);
  });

  test('rejects a secret file that is readable by others', async ({ home }) => {
    await using server = await startFakeServer(() => errorResponse(412, 'X'));
    const file = await rows(home, 'appId,clientId\nx,y\n');
    const words = ['run', file, '--operation', 'api-key.create', '--secret-output', home.file('secrets')];
    await run(home, server, words);
    await chmod(home.file('secrets'), 0o644);
    expect((await run(home, server, words)).code).toBe(2);
    expect(server.received).toHaveLength(1);
  });
});
