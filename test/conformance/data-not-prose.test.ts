/** No code decides by a message, a title, a description, the affix of a code or the spelling of a field's name. */
import { describe, expect, test } from 'vitest';
import { listSourceFiles, readSource } from './source-files.ts';
import { inspectionsIn } from './text-inspections.ts';

describe('the checker', () => {
  test.each([
    `if (error.message.includes('taken')) retry();`,
    `const found = /lacks (.*)/.exec(error.message);`,
    `const [, role] = (error as Error).message.match(/x/) ?? [];`,
    `const { message } = error; if (message.startsWith('no')) stop();`,
    `const [words = ''] = (schema.description ?? '').split(/[:;] /);`,
    `const isId = /^id or name/i.test(schema.description ?? '');`,
    `const text = schema?.description?.toLowerCase().replace(' ', '-');`,
    `if (operation.title === 'Creates a group') make();`,
    `if ('gone' !== error.message) throw error;`,
    `switch (error.message) { case 'x': break; }`,
    `const isKnown = texts.includes(error.message);`,
    `if (error.code.endsWith('_TAKEN')) done();`,
    `if (error.code.startsWith('GRANT_')) login();`,
    `if (/_NOT_FOUND$/.test(code)) ignore();`,
    `const kept = /(Id|Name)$/;`,
    `const name = fields.find((field) => /^[a-z]+Name$/.test(field));`,
    `const list = /Ids?$/.test(name);`,
    `const id = names.find((name) => /^(\\w*Id|id|kid)$/.test(name));`,
    `const stem = name.replace(/-(id|name)$/, '');`,
    `const property = name.endsWith('-id') ? 'id' : 'name';`,
    `const isTime = name.endsWith('At');`,
  ])('finds %s', (code) => expect(inspectionsIn(code)).toHaveLength(1));

  test.each([
    `io.stderr.write(\`error: \${error.message}\`);`,
    `const shown = message ?? errorTable[code].message;`,
    `if (message === undefined) leave();`,
    `if (schema.description !== null) add(schema.description);`,
    `if (error.code === 'ROLE_MISSING') explain(error.details);`,
    `const texts = message.text.replace('{code}', code);`,
    `if (message.delivery === 'late') wait();`,
    `const isSecret = sensitivityOf(schema) === 'secret';`,
    `if (word.startsWith('--')) option(word);`,
    `const words = /^[A-Z]+$/.test(word);`,
  ])('lets pass %s', (code) => expect(inspectionsIn(code)).toEqual([]));
});

/** Code that looks into a text for a reason; each with a part of the expression that it stands for. */
const exceptions: readonly { readonly file: string; readonly part: string; readonly reason: string }[] = [
  {
    file: 'src/cli/field-options.ts',
    part: 'toLowerCase()',
    reason: 'the text of an option begins with a small letter',
  },
  {
    file: 'src/cli/plan/documents.ts',
    part: 'message.split',
    reason: 'shows the message of the YAML parser on one line',
  },
  {
    file: 'src/cli/run.ts',
    part: 'stack.indexOf',
    reason: 'a trace is shown without the message, which may hold secrets',
  },
  {
    file: 'src/cli/runtime/input.ts',
    part: 'message.split',
    reason: 'shows the message of the YAML parser on one line',
  },
  { file: 'src/cli/runtime/query.ts', part: 'message.replace', reason: 'the message of the JMESPath parser goes on' },
  {
    file: 'src/cli/runtime/error-report.ts',
    part: 'message.replace',
    reason: 'commander writes `error: ` before its messages',
  },
  { file: 'src/cli/runtime/error-report.ts', part: 'message.split', reason: 'shows a message line by line' },
  { file: 'src/contract/roles.ts', part: "'ROLE_'", reason: 'role names in tokens have this prefix' },
  { file: 'src/contract/roles.ts', part: '^IAM_ADMIN_', reason: 'the interface reserves these role names' },
  { file: 'src/contract/schemas.ts', part: '^(ROLE_)?', reason: 'the format of role names' },
  {
    file: 'src/server/http/oauth-errors.ts',
    part: 'description.replaceAll',
    reason: 'RFC 6749, 5.2 limits the characters',
  },
  {
    file: 'src/server/seed/parse.ts',
    part: 'message.split',
    reason: 'shows the message of the YAML parser on one line',
  },
  { file: 'test/stress/server-process.ts', part: "'IAM_'", reason: 'variables of the environment have this prefix' },
];

const files = ['src', 'bench', 'test/stress', 'scripts']
  .flatMap(listSourceFiles)
  .filter((file) => file !== 'src/contract/manifest.ts');

const found = files.flatMap((file) => inspectionsIn(readSource(file)).map((code) => ({ file, code })));
const isCovered = ({ file, code }: (typeof found)[number], { file: of, part }: (typeof exceptions)[number]) =>
  file === of && code.includes(part);

describe('the sources', () => {
  test('decide by data', () => {
    expect(files.length).toBeGreaterThan(500);
    const uncovered = found.filter((one) => !exceptions.some((exception) => isCovered(one, exception)));
    expect(uncovered.map(({ file, code }) => `${file}: ${code}`)).toEqual([]);
  });

  test('need each of the exceptions', () => {
    const unused = exceptions.filter((exception) => !found.some((one) => isCovered(one, exception)));
    expect(unused).toEqual([]);
  });
});
