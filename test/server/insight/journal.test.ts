import { describe, expect, test } from 'vitest';
import { type Call, createJournal, longestBody } from '../../../src/server/insight/journal.ts';

const call: Call = {
  sequence: 0,
  requestId: 'r',
  at: 0,
  duration: 1,
  method: 'POST',
  path: '/p',
  search: '',
  operation: undefined,
  caller: undefined,
  actor: 'nobody',
  status: 200,
  errors: [],
  body: undefined,
  bodyLength: 0,
  answer: undefined,
  answerLength: 0,
  fault: undefined,
  credential: undefined,
  reason: undefined,
};

const idsOf = (journal: ReturnType<typeof createJournal>) =>
  [...journal.newestFirst()].map(({ requestId }) => requestId);

describe('the journal of requests', () => {
  test('keeps the last calls, the newest first', () => {
    const journal = createJournal({ calls: 3 });
    for (const requestId of ['a', 'b', 'c', 'd', 'e']) journal.keep({ ...call, requestId });
    expect(idsOf(journal)).toEqual(['e', 'd', 'c']);
    expect(journal.find('d')).toMatchObject({ requestId: 'd', sequence: 3 });
    expect(journal.find('a')).toBeUndefined();
  });

  test('keeps none where it is told so', () => {
    const journal = createJournal({ calls: 0 });
    journal.keep({ ...call });
    expect(idsOf(journal)).toEqual([]);
  });

  test('keeps fewer where they are long', () => {
    const journal = createJournal({ calls: 1000, bytes: 20_000 });
    const answer = 'x'.repeat(5000);
    for (let at = 0; at < 100; at += 1)
      journal.keep({ ...call, requestId: String(at), answer, answerLength: answer.length });
    expect(idsOf(journal)).toEqual(['99', '98', '97']);
    for (let at = 0; at < 100; at += 1) journal.keep({ ...call, requestId: `short ${at}` });
    expect(idsOf(journal)).toHaveLength(33);
  });

  test('leaves out what is too long, and forgets it', () => {
    const journal = createJournal({ calls: 1 });
    const long = longestBody + 1;
    journal.keep({ ...call, body: { a: 1 }, bodyLength: long, answer: 'x'.repeat(long), answerLength: long });
    expect(journal.find('r')).toMatchObject({ bodyLength: long, answerLength: long });
    expect(journal.find('r')).toMatchObject({ body: undefined, answer: undefined });
    journal.keep({ ...call, requestId: 'next' });
    expect(idsOf(journal)).toEqual(['next']);
  });

  test('keeps no long messages of errors, and counts what it keeps of them: callers choose names in them', () => {
    const journal = createJournal({ calls: 100, bytes: 100_000 });
    const message = `${'x'.repeat(10_000)}: there is no such field.`;
    journal.keep({ ...call, errors: [{ code: 'FIELD_UNKNOWN', message }] });
    expect(journal.find('r')?.errors).toEqual([{ code: 'FIELD_UNKNOWN', message: 'There is no such field.' }]);
    for (let calls = 0; calls < 50; calls += 1)
      journal.keep({ ...call, errors: [{ code: 'FIELD_UNKNOWN', message: message.slice(-8000) }] });
    expect(idsOf(journal).length).toBeLessThan(13);
  });
});
