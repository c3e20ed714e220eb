import { describe, expect, test } from 'vitest';
import { findViolation, isLinearizable } from './checker.ts';
import { formatOperation, type Model, type Operation } from './history.ts';
import { codeModel, groupModel, sessionModel } from './models.ts';

/** `start-end kind input [if expected] -> output`; the end `?` stands for an unknown outcome. */
function parse(line: string): Operation {
  const pattern = /^(\d+)-(\d+|[?]) (\w+)(?: (\w+))?(?: if (\w+))?(?: -> (\w+))?$/;
  const [, start, end, kind = '', input = '', expected, output = ''] = pattern.exec(line) ?? [];
  const isUnknown = end === '?';
  return {
    kind,
    input,
    expected,
    output: isUnknown ? undefined : output === 'absent' ? '' : output,
    start: Number(start),
    end: isUnknown ? Number.POSITIVE_INFINITY : Number(end),
  };
}

const judge = (model: Model, initial: string | undefined, lines: readonly string[]) =>
  isLinearizable({ model, initial: initial ?? '', operations: lines.map(parse) });

/** Name, operations, and the state before them if there is one. */
type Case = [string, readonly string[], string?];

describe('groups', () => {
  test.each<Case>([
    ['one after the other', ['0-1 create a -> done', '2-3 read -> a', '4-5 update b if a -> done', '6-7 read -> b']],
    ['a read beside a write sees either', ['0-9 create a -> done', '1-2 read -> absent', '3-4 read -> a']],
    ['an unknown write takes effect late', ['0-? create a', '1-2 read -> absent', '8-9 read -> a']],
    ['an unknown write takes no effect', ['0-? create a', '1-2 read -> absent', '3-4 create b -> done']],
    ['one of two conditions holds', ['0-9 update b if a -> done', '0-9 update c if a -> changed'], 'a'],
    ['a taken name', ['0-5 create a -> done', '1-6 create b -> taken', '7-8 delete -> done', '9-9 delete -> missing']],
  ])('%s', (_, lines, initial) => {
    expect(judge(groupModel, initial, lines)).toBe(true);
  });

  test.each<Case>([
    ['a stale read', ['0-1 create a -> done', '2-3 read -> absent']],
    ['a write that is lost', ['0-1 update b -> done', '2-3 read -> a'], 'a'],
    ['two winners of one condition', ['0-9 update b if a -> done', '0-9 update c if a -> done'], 'a'],
    ['a condition that holds is refused', ['0-9 update b if a -> changed'], 'a'],
    ['a name twice', ['0-9 create a -> done', '0-9 create b -> done']],
    ['a name taken without a group', ['0-1 create a -> taken']],
    ['an unknown write that comes and goes', ['0-? create a', '1-2 read -> a', '3-4 read -> absent']],
    ['the effect of a refused write', ['1-2 read -> b'], 'a'],
    ['an unknown write before its request', ['5-? create a', '1-2 read -> a']],
  ])('not: %s', (_, lines, initial) => {
    expect(judge(groupModel, initial, lines)).toBe(false);
  });
});

describe('sessions', () => {
  test.each<Case>([
    [
      'a chain',
      ['0-1 renew a -> b', '2-3 renew b -> c', '4-5 check -> alive', '6-7 end -> done', '8-9 check -> ended'],
    ],
    ['the second use of a token ends it', ['0-9 renew a -> b', '0-9 renew a -> rejected', '10-11 check -> ended']],
    ['a retry after a lost response ends it', ['0-? renew a', '2-3 renew a -> rejected', '4-5 check -> ended']],
    ['a retry of a request without effect', ['0-? renew a', '2-3 renew a -> b', '4-5 check -> alive']],
    ['the request without effect arrives later', ['0-? renew a', '2-3 renew a -> b', '4-5 check -> ended']],
    ['an unknown end', ['0-? end', '1-2 check -> alive', '3-4 renew a -> rejected']],
  ])('%s', (_, lines) => {
    expect(judge(sessionModel, 'a', lines)).toBe(true);
  });

  test.each<Case>([
    ['a token used twice', ['0-9 renew a -> b', '0-9 renew a -> c']],
    ['an unused token is rejected', ['0-1 renew a -> b', '2-3 renew b -> rejected']],
    ['a session lives on after the reuse', ['0-1 renew a -> b', '2-3 renew a -> rejected', '4-5 check -> alive']],
    ['a token lives on after the reuse', ['0-1 renew a -> b', '2-3 renew a -> rejected', '4-5 renew b -> c']],
    ['access after the end', ['0-1 end -> done', '2-3 check -> alive']],
    ['an end without a request', ['0-1 check -> ended']],
    ['an ended session comes back', ['0-? end', '1-2 check -> ended', '3-4 check -> alive']],
  ])('not: %s', (_, lines) => {
    expect(judge(sessionModel, 'a', lines)).toBe(false);
  });
});

describe('codes', () => {
  test.each<Case>([
    ['used once', ['0-1 issue -> a', '2-9 use a -> done', '2-9 use a -> invalid']],
    ['replaced by a new one', ['0-1 issue -> a', '2-9 issue -> b', '3-4 use a -> done', '10-11 use b -> done']],
    ['perhaps used', ['0-1 issue -> a', '2-? use a', '3-4 use a -> done']],
    ['perhaps used before', ['0-1 issue -> a', '2-? use a', '3-4 use a -> invalid']],
    ['perhaps replaced', ['0-1 issue -> a', '2-? issue', '3-4 use a -> invalid']],
  ])('%s', (_, lines) => {
    expect(judge(codeModel, '', lines)).toBe(true);
  });

  test.each<Case>([
    ['used twice', ['0-1 issue -> a', '2-9 use a -> done', '2-9 use a -> done']],
    ['an old one', ['0-1 issue -> a', '2-3 issue -> b', '4-5 use a -> done']],
    ['a right one is rejected', ['0-1 issue -> a', '2-3 use a -> invalid']],
  ])('not: %s', (_, lines) => {
    expect(judge(codeModel, '', lines)).toBe(false);
  });
});

test('returns the shortest beginning that is not linearizable', () => {
  const lines = ['0-1 create a -> done', '2-3 read -> absent', '2-9 update b -> done', '10-11 read -> b'];
  const violation = findViolation({ model: groupModel, initial: '', operations: lines.map(parse) });
  expect(violation?.map(formatOperation)).toEqual([
    '0.0 to 1.0: create a -> done',
    '2.0 to 3.0: read  -> absent',
    '2.0 to unknown: update b -> unknown',
  ]);
});

test('decides long histories with many unknown outcomes at once', () => {
  const writes = Array.from({ length: 300 }, (_, at) => `${3 * at}-${3 * at + 2} update v${at} -> done`);
  const unknown = Array.from({ length: 8 }, (_, at) => `${50 * at}-? update u${at} if v${50 * at}`);
  expect(judge(groupModel, 'x', [...writes, ...unknown, '1000-1001 read -> v299'])).toBe(true);
  expect(judge(groupModel, 'x', [...writes, ...unknown, '1000-1001 read -> v298'])).toBe(false);
});
