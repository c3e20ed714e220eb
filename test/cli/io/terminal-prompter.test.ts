import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { ChoiceSource, Question } from '../../../src/cli/io/prompter.ts';
import { createTerminalPrompter } from '../../../src/cli/io/terminal-prompter.ts';
import { drainStream } from '../drain-stream.ts';

/** Terminal-like streams that stay open after a prompt. */
function terminal(isColoured?: boolean) {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { end: () => undefined, columns: 80 });
  const interruption = new AbortController();
  const io = { stdin, stdout: new PassThrough(), stderr, signal: interruption.signal, releaseSignals: () => undefined };
  return { stdin, stderr, interruption, ask: createTerminalPrompter(io, isColoured) };
}

const questions: Question[] = [
  { type: 'confirm', message: 'Sure?', default: false },
  { type: 'input', message: 'Name:' },
  { type: 'password', message: 'Secret:', mask: '*' },
  { type: 'select', message: 'One of:', choices: [{ value: 'a', name: 'a' }] },
  { type: 'checkbox', message: 'Some of:', choices: [{ value: 'a', name: 'a' }], required: false, pageSize: 5 },
  { type: 'search', message: 'Find:', source: async () => [{ value: 'a', name: 'a' }], pageSize: 5 },
];

test.each(questions)('a $type prompt ends with its input, and never returns yes', async (question) => {
  const { stdin, ask } = terminal();
  const reply = ask(question);
  stdin.end();
  await expect(reply).rejects.toMatchObject({ code: 'INPUT_NEEDED', exitCode: 10 });
});

test('a prompt fails if the input has ended before', async () => {
  const { stdin, ask } = terminal();
  stdin.end();
  stdin.resume();
  await new Promise((resolve) => stdin.once('close', resolve));
  await expect(ask({ type: 'confirm', message: 'Sure?', default: false })).rejects.toMatchObject({ exitCode: 10 });
});

test.each([
  ['Ctrl-C', '\u0003', { name: 'PromptCanceledError' }],
  ['Ctrl-D', '\u0004', { code: 'INPUT_NEEDED' }],
])('%s cancels the prompt', async (_name, key, failure) => {
  const { stdin, ask } = terminal();
  const reply = ask({ type: 'input', message: 'Name:' });
  setImmediate(() => stdin.write(key));
  await expect(reply).rejects.toMatchObject(failure);
});

test.each(questions)('Esc cancels a $type prompt, and its text says so', async (question) => {
  const { stdin, stderr, ask } = terminal(false);
  const reply = ask(question);
  setImmediate(() => stdin.write('\u001b'));
  await expect(reply).rejects.toMatchObject({ name: 'PromptCanceledError' });
  expect(drainStream(stderr)).toMatch(/esc cancel/);
});

test('a pasted line is the answer of a search whose list is still loading, and is shown as the answer', async () => {
  const { stdin, stderr, ask } = terminal(false);
  let loaded: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  const source: ChoiceSource = async (term) => {
    if (term === undefined) return [{ value: 'u1', name: 'anna' }];
    await slow;
    return [
      { value: 'u2', name: `${term}  x` },
      { value: term, name: `${term}  (as typed)` },
    ];
  };
  const reply = ask({ type: 'search', message: 'User:', source, pageSize: 5 });
  setImmediate(() => {
    stdin.write('zoe\n');
    setImmediate(loaded);
  });
  expect(await reply).toBe('zoe');
  expect(drainStream(stderr)).toMatch(/✔ User: zoe(?! )/);
});

test('several pasted lines are refused: no line is lost, and none confirms', async () => {
  const { stdin, ask } = terminal();
  const reply = ask({ type: 'input', message: 'User:' });
  setImmediate(() => stdin.write('alice\ry\r'));
  await expect(reply).rejects.toMatchObject({ exitCode: 2 });
});

test('a pasted line does not confirm by itself', async () => {
  const { stdin, stderr, ask } = terminal(false);
  const reply = ask({ type: 'input', message: 'Type 3:', isConfirmation: true });
  setImmediate(() => stdin.write('3\r'));
  setTimeout(() => stdin.write('\r'), 30);
  expect(await reply).toBe('3');
  expect(drainStream(stderr)).toContain('Press Enter to confirm.');
});

test('the footer of a list says that there are more entries than lines', async () => {
  const { stdin, stderr, ask } = terminal(false);
  const choices = Array.from({ length: 9 }, (_, at) => ({ value: `u${at}`, name: `u${at}` }));
  const reply = ask({ type: 'search', message: 'User:', source: async () => choices, pageSize: 5, hasMore: true });
  setTimeout(() => stdin.write('\u001b'), 20);
  await expect(reply).rejects.toMatchObject({ name: 'PromptCanceledError' });
  expect(drainStream(stderr)).toContain('9+ entries type to search all');
});

test('a reply that arrives with the end of the input is accepted', async () => {
  const { stdin, ask } = terminal();
  const reply = ask({ type: 'input', message: 'Name:' });
  stdin.end('anna\n');
  expect(await reply).toBe('anna');
});

test('a prompt without color is drawn without color sequences', async () => {
  const { stdin, stderr, ask } = terminal(false);
  // Colored here: whether inquirer uses colors depends on the environment of the tests.
  const reply = ask({ type: 'confirm', message: '\u001b[31mSure?\u001b[39m', default: false });
  setImmediate(() => stdin.write('y\n'));
  expect(await reply).toBe(true);
  const drawn = drainStream(stderr);
  expect(drawn).toContain('? Sure?');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences for color and weight
  expect(drawn).not.toMatch(/\u001b\[[\d;]*m/);
});

test('a signal aborts the prompt and restores the terminal', async () => {
  const { stdin, interruption, ask } = terminal();
  const modes: boolean[] = [];
  Object.assign(stdin, { setRawMode: (mode: boolean) => modes.push(mode) });
  const reply = ask({ type: 'input', message: 'Name:' });
  const modeAtOnce = new Promise((resolve) =>
    setImmediate(() => {
      interruption.abort('SIGTERM');
      resolve(modes.at(-1));
    }),
  );
  await expect(reply).rejects.toMatchObject({ name: 'AbortPromptError' });
  expect(await modeAtOnce).toBe(false);
});

test('a prompt removes its listeners from the streams', async () => {
  const { stdin, stderr, ask } = terminal();
  const count = () => ['end', 'close'].reduce((sum, name) => sum + stdin.listenerCount(name), 0);
  const before = count();
  for (let round = 0; round < 3; round += 1) {
    const reply = ask({ type: 'confirm', message: 'Sure?', default: false });
    setImmediate(() => stdin.write('y\n'));
    expect(await reply).toBe(true);
  }
  expect(count()).toBeLessThanOrEqual(before + 1);
  expect(drainStream(stderr)).toContain('Sure?');
});

const twoChoices = ['a', 'b'].map((value) => ({ value, name: value }));

test.each<Question>([
  { type: 'select', message: 'One of:', choices: twoChoices, header: 'LETTER' },
  { type: 'search', message: 'Find:', source: async () => twoChoices, pageSize: 5 },
])('Enter on an untouched $type prompt selects nothing', async (question) => {
  const untouched = terminal();
  const refused = untouched.ask(question);
  setImmediate(() => untouched.stdin.end('\r'));
  await expect(refused).rejects.toMatchObject({ code: 'INPUT_NEEDED' });
  expect(drainStream(untouched.stderr)).toContain('choose with the arrow keys');
});

test('the arrow keys select from a list', async () => {
  const { stdin, ask } = terminal();
  const reply = ask({ type: 'select', message: 'One of:', choices: twoChoices });
  setImmediate(() => stdin.write('\u001b[B\u001b[B\r'));
  expect(await reply).toBe('b');
});
