/** The decisions of the failover suites: what an answer means, and which states it allows. */
import { describe, expect, test } from 'vitest';
import { type HttpAnswer, judgeAnswer, type Verdict } from './answer.ts';
import { GroupOracle, type GroupState } from './group-oracle.ts';

const answer = (status: number, code?: string, retryAfter?: string): HttpAnswer => ({
  status,
  retryAfter,
  body: code === undefined ? '<html>' : JSON.stringify([{ code, message: 'text' }]),
});

describe('an answer to a change', () => {
  test.each([
    ['201', answer(201), 'acknowledged'],
    ['204', answer(204), 'acknowledged'],
    ['503 STORE_UNAVAILABLE', answer(503, 'STORE_UNAVAILABLE', '5'), 'refused'],
    ['503 STORE_UNAVAILABLE that does not ask to retry', answer(503, 'STORE_UNAVAILABLE'), 'wrong'],
    ['503 OUTCOME_UNKNOWN', answer(503, 'OUTCOME_UNKNOWN'), 'unknown'],
    ['503 OUTCOME_UNKNOWN that asks to retry', answer(503, 'OUTCOME_UNKNOWN', '2'), 'wrong'],
    ['502 of the balancer', answer(502), 'unknown'],
    ['503 of the balancer', answer(503), 'unknown'],
    ['504 of the balancer', answer(504), 'unknown'],
    ['a lost connection', undefined, 'unknown'],
    ['401 for a valid token', answer(401, 'ACCESS_TOKEN_INVALID'), 'wrong'],
    ['404 for a group that exists', answer(404, 'GROUP_NOT_FOUND'), 'wrong'],
    ['412 for a new name', answer(412, 'GROUP_NAME_NOT_UNIQUE'), 'wrong'],
    ['500', answer(500, 'INTERNAL_ERROR'), 'wrong'],
    ['500 without a code', answer(500), 'wrong'],
  ] as const)('%s', (_what, given, kind) => {
    expect(judgeAnswer(given).kind).toBe(kind);
  });
});

const acknowledged: Verdict = { kind: 'acknowledged' };
const refused: Verdict = { kind: 'refused' };
const unknown: Verdict = { kind: 'unknown', by: 'server' };
const name = 'g';

/** Makes the changes of one group one after the other. */
function createOracle(...changes: readonly (readonly [GroupState, Verdict])[]): GroupOracle {
  const oracle = new GroupOracle();
  for (const [next, verdict] of changes) oracle.begin(name, next)(verdict);
  return oracle;
}

const stored = (state: GroupState) => new Map(state === undefined ? [] : [[name, state]]);

describe('a group', () => {
  test.each([
    ['created', [['A', acknowledged]], ['A']],
    ['not created', [['A', refused]], [undefined]],
    ['created or not', [['A', unknown]], ['A', undefined]],
    [
      'changed',
      [
        ['A', acknowledged],
        ['B', acknowledged],
      ],
      ['B'],
    ],
    [
      'not changed',
      [
        ['A', acknowledged],
        ['B', refused],
      ],
      ['A'],
    ],
    [
      'changed or not',
      [
        ['A', acknowledged],
        ['B', unknown],
      ],
      ['A', 'B'],
    ],
    [
      'deleted',
      [
        ['A', acknowledged],
        [undefined, acknowledged],
      ],
      [undefined],
    ],
    [
      'not deleted',
      [
        ['A', acknowledged],
        [undefined, refused],
      ],
      ['A'],
    ],
    [
      'deleted or not',
      [
        ['A', acknowledged],
        [undefined, unknown],
      ],
      ['A', undefined],
    ],
  ] as const)('that was %s has no other state', (_what, changes, allowed) => {
    for (const state of ['A', 'B', 'C', undefined]) {
      const oracle = createOracle(...changes);
      oracle.verify(stored(state));
      expect([state, oracle.problems.length === 0]).toEqual([
        state,
        (allowed as readonly GroupState[]).includes(state),
      ]);
    }
  });

  test('whose acknowledged change is missing counts as lost, one with a refused change as made', () => {
    const lost = createOracle(['A', acknowledged], ['B', acknowledged]);
    lost.verify(stored('A'));
    expect(lost.counts).toMatchObject({ lost: 1, refusedButMade: 0 });
    const made = createOracle(['A', acknowledged], ['B', refused]);
    made.verify(stored('B'));
    expect(made.counts).toMatchObject({ lost: 0, refusedButMade: 1 });
  });

  test('of unknown state is certain once it was read, and counts as made or not', () => {
    const oracle = createOracle(['A', acknowledged], ['B', unknown]);
    oracle.verify(stored('B'));
    expect(oracle.counts).toMatchObject({ unknownMade: 1, unknownNotMade: 0 });
    // The other outcome would be a commit that happened or vanished later.
    oracle.verify(stored('A'));
    expect(oracle.problems).toHaveLength(1);
  });

  test('that no writer created is a problem', () => {
    const oracle = new GroupOracle();
    oracle.verify(stored('A'));
    expect(oracle.problems).toEqual(['g exists, but nothing created it']);
  });

  test('can be changed further only after an acknowledged change', () => {
    const oracle = new GroupOracle();
    const wrong: Verdict = { kind: 'wrong', problem: '500' };
    expect([acknowledged, refused, unknown, wrong].map((verdict) => oracle.begin(name, 'A')(verdict))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(oracle.counts).toMatchObject({ acknowledged: 1, refused: 1, unknownByServer: 1, wrongAnswers: 1 });
    expect(oracle.problems).toEqual(['the change of g to A was answered with 500']);
  });
});

describe('a read', () => {
  test('of another state than the acknowledged one is stale', () => {
    const oracle = createOracle(['A', acknowledged], ['B', acknowledged]);
    oracle.beginRead(name)('B');
    oracle.beginRead(name)('A');
    oracle.beginRead(name)(undefined);
    expect(oracle.counts).toMatchObject({ reads: 3, staleReads: 2 });
    expect(oracle.problems).toHaveLength(2);
  });

  test('during a change, or of an unknown state, is not judged', () => {
    const oracle = createOracle(['A', acknowledged]);
    const before = oracle.beginRead(name);
    const finish = oracle.begin(name, 'B');
    oracle.beginRead(name)('A');
    finish(unknown);
    before('B');
    oracle.beginRead(name)('A');
    expect(oracle.counts.reads).toBe(0);
    expect(oracle.problems).toEqual([]);
  });
});
