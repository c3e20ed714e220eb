/** Decisions use data, never the text of a message, title or description, a part of a code or the spelling of a name. */
import { describe, expect, test } from 'vitest';
import { listSourceFiles, readSource } from './source-files.ts';
import { inspectionsIn } from './text-inspections.ts';

describe('the checker', () => {
  test.each([
    `if (error.message.includes('exists')) retry();`,
    `const found = /lacks (.*)/.exec(error.message);`,
    `const [, role] = (error as Error).message.match(/x/) ?? [];`,
    `const { message } = error; if (message.startsWith('no')) stop();`,
    `const [words = ''] = (schema.description ?? '').split(/[:;] /);`,
    `const isId = /^id or name/i.test(schema.description ?? '');`,
    `const text = schema?.description?.toLowerCase().replace(' ', '-');`,
    `if (operation.title === 'Creates a group') make();`,
    `if ('missing' !== error.message) throw error;`,
    `switch (error.message) { case 'x': break; }`,
    `const isKnown = texts.includes(error.message);`,
    `if (error.code.endsWith('_TAKEN')) done();`,
    `if (error.code.startsWith('GRANT_')) login();`,
    `if (/_NOT_FOUND$/.test(code)) ignore();`,
    `const pattern = /(Id|Name)$/;`,
    `const name = fields.find((field) => /^[a-z]+Name$/.test(field));`,
    `const list = /Ids?$/.test(name);`,
    `const id = names.find((name) => /^(\\w*Id|id|kid)$/.test(name));`,
    `const stem = name.replace(/-(id|name)$/, '');`,
    `const property = name.endsWith('-id') ? 'id' : 'name';`,
    `const isTime = name.endsWith('At');`,
  ])('detects %s', (code) => expect(inspectionsIn(code)).toHaveLength(1));

  test.each([
    `io.stderr.write(\`error: \${error.message}\`);`,
    `const text = message ?? errorTable[code].message;`,
    `if (message === undefined) leave();`,
    `if (schema.description !== null) add(schema.description);`,
    `if (error.code === 'ROLE_MISSING') explain(error.details);`,
    `const texts = message.text.replace('{code}', code);`,
    `if (message.delivery === 'late') wait();`,
    `const isSecret = sensitivityOf(schema) === 'secret';`,
    `if (word.startsWith('--')) option(word);`,
    `const words = /^[A-Z]+$/.test(word);`,
  ])('accepts %s', (code) => expect(inspectionsIn(code)).toEqual([]));
});

/** Accepted inspections of a text: the file, a part of the expression and the reason. */
const exceptions: readonly { readonly file: string; readonly part: string; readonly reason: string }[] = [
  {
    file: 'src/cli/output/rejected-values.ts',
    part: 'message.replace',
    reason: 'shows the value in place of the path that the details of the error name',
  },
  {
    file: 'src/cli/run.ts',
    part: 'stack.indexOf',
    reason: 'a stack trace is printed without the message, which may contain secrets',
  },
  {
    file: 'src/lib/yaml-text.ts',
    part: 'message.replace',
    reason: 'shows the message of the YAML parser without a stop',
  },
  { file: 'src/cli/output/query.ts', part: 'message.replace', reason: 'shortens the message of the JMESPath parser' },
  {
    file: 'src/cli/output/error-report.ts',
    part: 'exec(error.message)',
    reason: 'commander writes `error: ` before its messages, and what it suggests after them',
  },
  {
    file: 'src/contract/openapi-operations.ts',
    part: 'description.slice',
    reason: 'removes the sentence about roles, which the API document adds to each description',
  },
  { file: 'src/contract/roles.ts', part: "'ROLE_'", reason: 'role names in tokens have this prefix' },
  { file: 'src/contract/roles.ts', part: '^IAM_ADMIN_', reason: 'the interface reserves these role names' },
  { file: 'src/contract/schemas/role.ts', part: '^(ROLE_)?', reason: 'the format of role names' },
  {
    file: 'src/contract/oauth-errors.ts',
    part: 'description.replaceAll',
    reason: 'RFC 6749, 5.2 limits the characters',
  },
  {
    file: 'src/server/seed/entries.ts',
    part: 'message.replace',
    reason: 'shows the message of an error in a sentence',
  },
  { file: 'test/stress/server-process.ts', part: "'IAM_'", reason: 'variables of the environment have this prefix' },
];

const files = ['src', 'packages/console/src', 'bench', 'test/stress', 'scripts']
  .flatMap(listSourceFiles)
  .filter((file) => file !== 'src/contract/manifest.ts');

const found = files.flatMap((file) =>
  inspectionsIn(readSource(file), file.endsWith('x') ? 'tsx' : 'ts').map((code) => ({ file, code })),
);
const isCovered = ({ file, code }: (typeof found)[number], { file: of, part }: (typeof exceptions)[number]) =>
  file === of && code.includes(part);

describe('the source files', () => {
  test('contain no unlisted inspection of a text', () => {
    expect(files.length).toBeGreaterThan(500);
    const uncovered = found.filter((one) => !exceptions.some((exception) => isCovered(one, exception)));
    expect(uncovered.map(({ file, code }) => `${file}: ${code}`)).toEqual([]);
  });

  test('contain every listed exception', () => {
    const unused = exceptions.filter((exception) => !found.some((one) => isCovered(one, exception)));
    expect(unused).toEqual([]);
  });
});
