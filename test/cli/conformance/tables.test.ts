/** Tables of all commands that list: they fit the terminal, and truncate no id, time or path that a reader copies. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCompleteProgram } from '../../../src/cli/cli-reference.ts';
import { commandPath } from '../../../src/cli/command.ts';
import { ExampleRunner, readCatalogue } from './example-runner.ts';

/** What a table truncates: names beside their ids, and prose. Lists are truncated as well. */
const texts = [
  'userName',
  'businessName',
  'clientName',
  'corporateGroupName',
  'groupName',
  'name',
  'kid',
  'summary',
  'actor',
  'changes',
];

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
});
afterAll(() => runner[Symbol.asyncDispose]());

const program = await buildCompleteProgram(process.stdout);
const listing = (command: typeof program): (typeof program)[] => [
  ...(command.options.some(({ long }) => long === '--limit') || command.aliases().includes('ls') ? [command] : []),
  ...command.commands.flatMap(listing),
];
const lists = listing(program).map((command) => commandPath(command).replace('iam ', ''));
const entries = (await readCatalogue()).filter(({ command, effect }) => effect === 'read' && lists.includes(command));

/** The headings with the position of each. */
function headingsOf(line: string): readonly { readonly heading: string; readonly start: number }[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map((found) => ({ heading: found[0], start: found.index }));
}

function toHeading(property: string): string {
  return property.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toUpperCase();
}

test('there are lists of all nouns', () => {
  expect(entries.length).toBeGreaterThan(20);
});

test.each(entries)('of `iam $command` fits 80 and 200 columns', async ({ examples }) => {
  const example = examples.find((one) => !/ (?:-o|--query|--columns|--json) /.test(`${one} `)) ?? examples[0] ?? '';
  await runner.reset();
  const { run, code } = await runner.prepare(example);
  if (code !== 0) return;
  const data = JSON.parse((await run(['-o', 'json'])).out) as readonly Readonly<Record<string, unknown>>[];
  const isTruncated = (heading: string) =>
    texts.some((property) => toHeading(property) === heading) ||
    data.some((row) =>
      Object.entries(row).some(([name, value]) => typeof value === 'object' && toHeading(name) === heading),
    );
  const printed = [];
  for (const columns of [80, 200]) {
    const { out } = await run(['-o', 'table'], {}, undefined, { columns });
    const lines = out.trimEnd().split('\n');
    const headings = headingsOf(lines[0] ?? '');
    // A path is longer than the rest of the line, and not truncated.
    const isPath = headings.at(-1)?.heading === 'PATH';
    if (!isPath) expect(lines.filter((line) => line.length > columns)).toEqual([]);
    printed.push(headings.map(({ heading }) => heading));
    for (const line of lines)
      for (const { index } of line.matchAll(/…/g)) {
        const { heading } = headings.findLast(({ start }) => start <= index) ?? { heading: '' };
        expect([heading, isTruncated(heading)]).toEqual([heading, true]);
      }
  }
  const [narrow = [], wide = []] = printed;
  expect(wide.slice(0, narrow.length)).toEqual(narrow);
  expect(narrow.length).toBeGreaterThanOrEqual(Math.min(2, wide.length));
});
