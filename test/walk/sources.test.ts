/** Rules that hold for every source file. */
import { describe, expect, test } from 'vitest';
import { codeOf, read, root, sourceFiles } from './sources.ts';

const files = sourceFiles('src');
const ofServer = [...sourceFiles('src/server'), ...sourceFiles('src/library')];

/** Files that may touch what is injected everywhere else. */
const entries = /^src\/(server\/clock|server\/main|cli\/main|cli\/environment)\.ts$/;

const ambient = [
  ['the time', /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^\s)])|(?<!new )\bDate\(|\bTemporal\b/],
  ['chance', /\bMath\.random\b/],
  ['the environment', /\bprocess\.env\b/],
  ['the exit of the process', /\bprocess\.exit\s*\(/],
] as const;

/** Real time that passes, and what may be done with it: waits and time-outs, never what is dated or ends. */
const passing = [
  [
    'how long something takes',
    /\bperformance\b|\bhrtime\b|\bprocess\.uptime\b|\bperf_hooks\b/,
    ['src/cli/bulk/run.ts', 'src/cli/commands/waiting.ts', 'src/server/insight/stopwatch.ts'],
  ],
  [
    'a timer',
    /\bset(Timeout|Interval)\b|\bscheduler\b/,
    [
      'src/cli/bulk/run.ts',
      'src/cli/commands/background/launch.ts',
      'src/cli/commands/background/logs.ts',
      'src/cli/commands/background/stop.ts',
      'src/cli/environment.ts',
      'src/cli/runtime/files.ts',
      'src/cli/runtime/retry.ts',
      'src/client/proxy.ts',
      'src/server/http/node-server.ts',
      'src/server/ports/timer.ts',
      'src/server/service.ts',
      'src/server/store/json/checkpointer.ts',
      'src/server/store/json/lock.ts',
    ],
  ],
  [
    'a time-out',
    /\bAbortSignal\.timeout\b/,
    [
      'src/cli/commands/logout.ts',
      'src/cli/completion/complete.ts',
      'src/cli/taken-along.ts',
      'src/client/transport.ts',
      'src/library/inbox.ts',
      'src/library/requests.ts',
      'src/server/ports/http.ts',
      'src/server/ports/providers/key-sets.ts',
      'src/server/ports/sms-hook.ts',
    ],
  ],
] as const;

/** What packages read the clock for by themselves, unless they are told the time. */
const readers = [
  ['checks a JWT', /\bjwtVerify\(/, /\bcurrentDate:/],
  ['signs a JWT', /\bset(IssuedAt|ExpirationTime|NotBefore)\(/, /^$/],
  ['fetches keys', /\bcreateRemoteJWKSet\b/, /^$/],
] as const;

describe('every source file', () => {
  test.each(passing)('that uses %s is known', (_what, pattern, known) => {
    expect(files.filter((file) => pattern.test(codeOf(file)))).toEqual(known);
  });

  test.each(readers)('of the server that %s says by which time', (_what, pattern, told) => {
    expect(ofServer.filter((file) => pattern.test(codeOf(file)) && !told.test(codeOf(file)))).toEqual([]);
  });

  test('of the server but those that begin a process is handed its clock', () => {
    const users = files.filter((file) => /\bsystemClock\b/.test(codeOf(file)));
    expect(users).toEqual([
      'src/library/start-server.ts',
      'src/server/clock.ts',
      'src/server/main.ts',
      'src/server/open-store.ts',
      'src/server/store-tools.ts',
    ]);
  });

  test.each(ambient)('is given %s and does not take it', (_what, pattern) => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => !entries.test(file) && pattern.test(codeOf(file)))).toEqual([]);
  });

  test('is at most 250 lines long, unless it is generated', () => {
    const long = files.filter((file) => {
      const text = read(file);
      return !text.startsWith('// GENERATED') && text.split('\n').length > 251;
    });
    expect(long).toEqual([]);
  });

  test('says what it is, as an operation does by its declaration', () => {
    expect(files.filter((file) => !isOperation(file) && !/^(\s*\/\*\*|\/\/ GENERATED)/m.test(read(file)))).toEqual([]);
  });

  test('has a name in kebab-case', () => {
    expect(files.filter((file) => !/^[a-z0-9/-]+(\.d)?\.ts$/.test(file))).toEqual([]);
  });

  test('gives a reason with every suppression', () => {
    const bare = files.filter((file) => /(biome-ignore [\w/]+\s*$|@ts-expect-error\s*$|@ts-ignore)/m.test(read(file)));
    expect(bare).toEqual([]);
  });
});

/** The declaration of an operation says itself what it is. */
function isOperation(file: string): boolean {
  return file.startsWith('src/server/operations/') && file.split('/').length > 4;
}

test('the walk starts at the root of the project', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ name: 'iam-standin' });
  expect(root).not.toBe('');
});
