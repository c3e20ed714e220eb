/** Walks all updates: every resource that has one is in the table, and follows the one contract. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isClearable } from '../../../src/cli/commands/update/merge.ts';
import { updatableResources } from '../../../src/cli/commands/update/resources.ts';
import type { Question } from '../../../src/cli/io/prompter.ts';
import { referenceIn } from '../../../src/cli/prompts/value-sources.ts';
import { createField, toKebabCase, toSingular } from '../../../src/cli/request/field-options.ts';
import { getUpdate, isRoute } from '../../../src/cli/request/find-operation.ts';
import { manifest } from '../../../src/contract/manifest.ts';
import { controlRoutes } from '../../../src/server/control/routes/index.ts';
import { createScriptedPrompter } from '../prompts/scripted-prompter.ts';
import { type CliResult, iam, type RunOptions } from '../run-cli.ts';
import { ExampleRunner } from './example-runner.ts';

/** Operations and routes with PUT or PATCH that are no update of one resource. */
const others: Readonly<Record<string, string>> = {
  'client-identities.migrate': 'moves many clients at once',
  'user-identities.add-identity': 'adds one login name; `users remove-identity` removes it',
  'control.set-clock': 'sets the clock of the server; `clock` shows it',
  'control.set-password': 'sets a password, which is never read',
};

interface UpdateCase {
  readonly target: string;
  /** The command that reads it. */
  readonly get: string;
  /** Options that change something. */
  readonly change: string;
  /** A field of the file and another value. */
  readonly edited: readonly [field: string, value: unknown];
  /** Options with which a colleague changes another writable field. */
  readonly colleague: string;
  /** A command that changes a field which the update does not write, of a resource whose server ETag does not cover it. */
  readonly derived?: string;
  /** What the command prints then. */
  readonly printed: string;
  /** Options that change nothing. */
  readonly same: string;
  readonly as?: 'alice';
}

const cases: Readonly<Record<string, UpdateCase>> = {
  'groups update': {
    target: 'ops',
    get: 'groups get ops',
    change: '--add-role RESTART --organization-id example',
    edited: ['businessUnitId', 'retail'],
    colleague: '--set organizationId=other',
    printed: 'ops: ~ organizationId: (none) -> example, + role RESTART',
    same: '--add-role ROLE_DEPLOY --remove-role GONE',
  },
  'corporate-groups update': {
    target: 'CORPORATE_GROUP_ID',
    get: 'corporate-groups get CORPORATE_GROUP_ID',
    change: '--corporate-group-name holding',
    edited: ['organizationId', 'example'],
    colleague: '--corporate-group-name conglomerate',
    printed: 'concern: ~ corporateGroupName: concern -> holding',
    same: '--remove-business globex',
  },
  'users update': {
    target: 'alice',
    get: 'users get alice',
    change: '--user-mobile.region-code 55 --user-mobile.area-code 11 --user-mobile.phone-number 99999999',
    edited: ['lead', true],
    colleague: '--business-id globex',
    derived: 'groups users add leads alice',
    printed: 'alice: ~ userMobile: (none) -> +55 11 99999999',
    same: '--user-email alice@example.com',
  },
  'api-key update': {
    target: 'KEY_ID',
    get: 'api-key get KEY_ID',
    change: '--app-id accounts',
    edited: ['appId', 'invoices'],
    colleague: '--client-id c1',
    derived: 'api-key rotate KEY_ID --yes',
    printed: 'KEY_ID (billing): ~ appId: billing -> accounts',
    same: '--client-id CLIENT_ID',
  },
  'clients update': {
    target: 'CLIENT_ID',
    get: 'clients get CLIENT_ID',
    change: '--add-scope WRITE --add-redirect-uri https://app.example.com/',
    edited: ['organizationId', 'example'],
    colleague: '--business-unit-id retail',
    derived: 'groups services add leads billing-service',
    printed: 'CLIENT_ID (billing-service): + scope WRITE, + redirectURI https://app.example.com/',
    same: '--app-id billing --remove-scope GONE',
  },
  'users factors update': {
    target: 'alice FACTOR_ID',
    get: 'users factors get alice FACTOR_ID',
    change: '--add-tag home',
    edited: ['tags', ['a', 'b']],
    colleague: '--email other@home.example',
    printed: 'FACTOR_ID: + tag home',
    same: '--contact-type EMAIL',
  },
  'factors update': {
    target: 'FACTOR_ID',
    get: 'factors get FACTOR_ID',
    change: '--add-tag own',
    edited: ['tags', ['c']],
    colleague: '--email another@home.example',
    printed: 'FACTOR_ID: + tag own',
    same: '--contact-type EMAIL',
    as: 'alice',
  },
};

const writes = [...manifest.operations, ...controlRoutes].filter(
  ({ method }) => method === 'PUT' || method === 'PATCH',
);
const ids = writes.map(({ id }) => id).filter((id) => !(id in others));
const updates = ids.map((id) => getUpdate(manifest, id));

test('every operation or route that updates a resource is in the table, and has a case', () => {
  expect(updatableResources.map(({ write }) => write).sort()).toEqual([...ids].sort());
  expect(Object.keys(cases).sort()).toEqual(updates.map(({ command }) => command).sort());
  for (const { id, method, path } of controlRoutes.filter(isRoute))
    expect(getUpdate(manifest, id)).toMatchObject({ method, path, roles: expect.stringContaining('ADMIN') });
});

/** Whether the server cannot tell that it has changed between the read and the write of the command. */
function isUnguarded(command: string): boolean {
  const { id } = updates.find((one) => one.command === command) ?? { id: '' };
  return updatableResources.some(({ write, unguarded }) => write === id && unguarded === true);
}

let runner: ExampleRunner;
beforeAll(async () => {
  runner = await ExampleRunner.create();
});
afterAll(() => runner[Symbol.asyncDispose]());

describe.each(Object.entries(cases))(
  '%s',
  (command, { target, get, change, edited, colleague, derived, printed, same, as }) => {
    const run = (words: string, options?: RunOptions): Promise<CliResult> =>
      runner.run(`${command} ${target} ${words}`.trim(), as ?? 'administrator', options);

    test('sends nothing without a field, and nothing for what is so already', async () => {
      const before = await runner.server.dump();
      expect(await run('')).toMatchObject({ code: 2, err: expect.stringContaining('No changes specified.') });
      expect(await run(same)).toMatchObject({ code: 0, err: expect.stringContaining(': nothing to change') });
      expect(await runner.server.dump()).toEqual(before);
    });

    test('refuses to replace a list and to change its entries', async () => {
      const body = updates.find((one) => one.command === command)?.body;
      for (const [name, { type }] of Object.entries(body?.properties ?? {})) {
        if (type !== 'array') continue;
        const { flag } = createField([name], { type: 'array' }, false);
        for (const replacement of [`--${flag} A`, `--set ${name}=A`, `--set ${name}=`])
          for (const change of ['add', 'remove']) {
            const outcome = await run(`${replacement} --${change}-${flag} A`);
            const message = `${name} is both replaced and changed by --${change}-${flag}`;
            expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(message) });
          }
      }
    });

    test('clears a field with null, or refuses', async () => {
      const { method, body } = updates.find((one) => one.command === command) ?? {};
      const before = await runner.server.dump();
      for (const [name, schema] of Object.entries(body?.properties ?? {})) {
        if (schema.sensitive === 'secret') continue;
        const isCleared =
          schema.type === 'array' ||
          (schema['x-only-for'] === undefined &&
            (method === 'PATCH' ? isClearable(schema) : !body?.required?.includes(name)));
        for (const empty of ['', 'null']) {
          const { code, err } = await run(`--set ${name}=${empty} --dry-run`);
          const isObject = !isCleared && schema.properties !== undefined;
          if (isCleared) expect([name, code, err]).toEqual([name, 0, err]);
          else
            expect([name, code, err]).toEqual([
              name,
              2,
              expect.stringContaining(isObject ? '--set' : 'cannot be cleared'),
            ]);
        }
      }
      expect(await runner.server.dump()).toEqual(before);
    });

    test('asks at a terminal for the fields to change, and shows the summary before it writes', async () => {
      const before = await runner.server.dump();
      const [field, value] = edited;
      const answers = Array.isArray(value) ? [value.join(','), ''] : [value];
      const { prompter, questions } = createScriptedPrompter([field], ...answers, false);
      const { code, err } = await run('', { columns: 80, prompter });
      expect([code, err]).toEqual([1, expect.stringMatching(new RegExp(`[~+] ${toSingular(field)}`))]);
      expect(questions.map(({ message }) => message)).toEqual([
        'Fields to change:',
        ...(Array.isArray(value) ? [/ of .*:$/, /^\+ .*; next:$/] : [/, now /]).map((text) =>
          expect.stringMatching(text),
        ),
        expect.stringMatching(/^Change .*\?$/),
      ]);
      expect(await runner.server.dump()).toEqual(before);
    });

    test('lets every prompt be skipped', async () => {
      const before = await runner.server.dump();
      const fields = Object.entries(updates.find((one) => one.command === command)?.body?.properties ?? {});
      const skip = ({ type, ...question }: Question) => {
        if (type === 'search') return '';
        if ('validate' in question)
          expect([question.message, question.validate?.('')]).toEqual([question.message, true]);
        if (type === 'select') expect('choices' in question && question.choices[0]).toMatchObject({ value: '' });
        return '';
      };
      const asked = fields.filter(([, { sensitive }]) => sensitive !== 'secret').map(([name]) => name);
      const { prompter } = createScriptedPrompter(asked, ...Array.from({ length: 20 }, () => skip));
      const { code, err } = await run('', { columns: 80, prompter });
      expect([code, err]).toEqual([0, expect.stringContaining(': nothing to change')]);
      expect(await runner.server.dump()).toEqual(before);
    });

    test('takes the id in a file as its target, and refuses a file without a required field', async () => {
      const who = as ?? 'administrator';
      const file = JSON.parse((await runner.run(`${get} -o json`, who)).out) as Record<string, unknown>;
      const words = [command, ...target.split(' ').slice(0, -1), '-f -'].join(' ');
      const update = (fields: object) => runner.run(words, who, { stdin: JSON.stringify(fields) });
      expect(await update(file)).toMatchObject({ code: 0, err: expect.stringContaining(': nothing to change') });
      for (const name of updates.find((one) => one.command === command)?.body?.required ?? []) {
        const { [name]: _, ...others } = file;
        expect(await update(others)).toMatchObject({
          code: 2,
          err: expect.stringContaining(`The file lacks ${name},`),
        });
      }
    });

    test('rejects an entry that is added and removed', async () => {
      const operation = updates.find((one) => one.command === command);
      const lists = Object.entries(operation?.body?.properties ?? {}).flatMap(([field, { type }]) =>
        type === 'array' ? [createField([field], { type }, false).flag] : [],
      );
      for (const flag of lists) {
        const outcome = await run(`--add-${flag} globex --remove-${flag} globex`);
        expect([flag, outcome.code, outcome.err]).toEqual([flag, 2, expect.stringContaining('is both added')]);
      }
    });

    test('names an entry to remove that does not exist at all', async () => {
      const operation = updates.find((one) => one.command === command);
      const lists = Object.entries(operation?.body?.properties ?? {}).flatMap(([field, schema]) =>
        schema.type === 'array' && referenceIn(schema)?.by.includes('id') ? [toSingular(toKebabCase(field))] : [],
      );
      for (const flag of lists) {
        const outcome = await run(`--remove-${flag} nosuch`);
        expect([flag, outcome.code, outcome.err]).toEqual([flag, 3, expect.stringContaining('nosuch: ')]);
      }
    });

    test('changes what the options name and nothing else, and prints it', async () => {
      const before = await runner.server.dump();
      expect(await run(`${change} --dry-run`)).toMatchObject({
        code: 0,
        err: expect.stringContaining(printed.slice(-8)),
      });
      expect(await runner.server.dump()).toEqual(before);
      expect(await run(change)).toEqual({ code: 0, out: '', err: `${printed}\n` });
      expect(await run(change)).toMatchObject({ code: 0, err: expect.stringContaining(': nothing to change') });
    });

    const readFile = async (format = 'json') => (await runner.run(`${get} -o ${format}`, as ?? 'administrator')).out;
    const [field, value] = edited;

    test.each(['json', 'yaml'])(
      'takes what get prints as %s, with the etag last, and nothing changes',
      async (format) => {
        const stdin = await readFile(format);
        const before = await runner.server.dump();
        expect(await run('-f -', { stdin })).toMatchObject({
          code: 0,
          err: expect.stringContaining(': nothing to change'),
        });
        expect(await runner.server.dump()).toEqual(before);
        if (format === 'yaml') return;
        expect(Object.keys(JSON.parse(stdin)).at(-1)).toBe('etag');
      },
    );

    test('refuses the file of another one, a read-only field with another value, and an unknown field', async () => {
      const file = JSON.parse(await readFile());
      const before = await runner.server.dump();
      const [id = ''] = Object.keys(file);
      for (const [changed, message] of [
        [{ [id]: 'another' }, 'The file is of the'],
        [{ note: 'x' }, 'unknown field note'],
        ...(file.createdAt === undefined ? [] : [[{ createdAt: 'x' }, 'createdAt'] as const]),
      ] as const) {
        const outcome = await run('-f - --yes', { stdin: JSON.stringify({ ...file, ...changed }) });
        expect(outcome).toMatchObject({ code: 2, err: expect.stringContaining(message) });
      }
      expect(await runner.server.dump()).toEqual(before);
    });

    test('a change of another field in between is a conflict that shows both, and --force overwrites it', async () => {
      const stdin = JSON.stringify({ ...JSON.parse(await readFile()), [field]: value });
      const { method, url, headers, body } = JSON.parse((await run('-f - --yes --dry-run -o json', { stdin })).out);
      expect(await run(`${colleague} --yes`)).toMatchObject({ code: 0 });
      const before = await runner.server.dump();
      if (!isUnguarded(command)) {
        const late = `api ${method} ${new URL(url).pathname} -f - --yes --header if-match=${headers['if-match']}`;
        const rejection = await runner.run(late, 'administrator', { stdin: JSON.stringify(body) });
        expect(rejection).toMatchObject({ code: 6, err: expect.stringContaining('has changed since it was read') });
      }
      const outcome = await run('-f - --yes', { stdin });
      expect(outcome).toMatchObject({ code: 6, err: expect.stringContaining('has changed since the file was read') });
      const sides = get.includes('groups')
        ? /changed by either:\n/
        : /Changed in the service:\n.*Changed by your file:\n/s;
      const [, own = ''] = outcome.err.split(sides);
      expect(own).toContain(field.replace(/s$/, ''));
      expect(await run('-f - --yes --force --dry-run', { stdin })).toMatchObject({ code: 0 });
      expect(await runner.server.dump()).toEqual(before);
    });

    test('takes a masked value as unchanged, and no masked value in place of another', async () => {
      const before = await runner.server.dump();
      const stdin = (await runner.run(`${get} -o json --mask`, as ?? 'administrator')).out;
      expect(await run('-f -', { stdin })).toMatchObject({
        code: 0,
        err: expect.stringContaining(': nothing to change'),
      });
      const other = JSON.stringify({ ...JSON.parse(stdin), [field]: 'x***@example.test' });
      expect(await run('-f - --yes', { stdin: other })).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${field} of the file is masked`),
      });
      expect(await runner.server.dump()).toEqual(before);
    });

    test('writes an edited file, also if a field that it cannot change has changed, but no read-only value', async () => {
      const file = JSON.parse(await readFile());
      if (derived !== undefined) {
        expect(await runner.run(derived, 'administrator')).toMatchObject({ code: 0 });
        const { etag, ...fields } = JSON.parse(await readFile());
        expect({ ...fields, etag: file.etag }).not.toEqual(file);
        const stdin = JSON.stringify({ ...file, createdAt: 'x', [field]: value });
        expect(await run('-f - --yes', { stdin })).toMatchObject({
          code: 2,
          err: expect.stringContaining('createdAt'),
        });
      }
      const stdin = JSON.stringify({ ...file, [field]: value });
      expect(await run('-f - --yes', { stdin })).toMatchObject({
        code: 0,
        err: expect.stringContaining(': updated\n'),
      });
      expect(JSON.parse(await readFile())[field]).toEqual(value);
    });

    test('edit writes what the editor saves, and nothing if it saves the same', async () => {
      const before = await runner.server.dump();
      const edit = (variables: Readonly<Record<string, string>>, option = '') =>
        runner.run(`${command.replace(/update$/, 'edit')} ${target}${option}`, as ?? 'administrator', { variables });
      expect(await edit({ VISUAL: 'true' })).toMatchObject({
        code: 0,
        err: expect.stringContaining('nothing to change'),
      });
      expect(await edit({ VISUAL: 'false' })).toMatchObject({
        code: 70,
        err: expect.stringContaining('editor "false" failed'),
      });
      expect(await edit({})).toMatchObject({ code: 10 });
      expect(await runner.server.dump()).toEqual(before);
      const [pattern, line, shown] =
        field === 'tags'
          ? ['^  - .*', '  - edited', '+ tag edited']
          : [`^${field}: .*`, `${field}: ${field === 'lead' ? 'false' : 'edited'}`, `~ ${field}: ${value} ->`];
      const variables = { EDITOR: `sed -i -e 's/${pattern}/${line}/'` };
      // As with `update -f`, an entry that the file no longer has needs a yes.
      if (field === 'tags') {
        const { code, err } = await edit(variables);
        expect([code, err]).toEqual([10, expect.stringMatching(/Your file is .*Remove tag/s)]);
        expect(await runner.server.dump()).toEqual(before);
      }
      const outcome = await edit(variables, field === 'tags' ? ' --yes' : '');
      expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining(shown) });
    });
  },
);

test('users update with an address that is not verified verifies it', async () => {
  await runner.run('users create --user-id new --user-name new --user-email new@example.com', 'administrator');
  const words = 'users update new --user-email new@example.com';
  const err = 'new: ~ userEmail: new@example.com (not verified) -> new@example.com\n';
  expect(await runner.run(words, 'administrator')).toEqual({ code: 0, out: '', err });
  expect(await runner.run(words, 'administrator')).toMatchObject({ err: 'new: nothing to change\n' });
});

test('an empty entry is refused with how to empty the list, and a base URL that is no http URL with its value', async () => {
  const { code, err } = await iam(['groups', 'update', 'ops', '--role', ''], { url: runner.server.url });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--set roles=') });
  expect(await iam(['groups', 'list'], { url: 'ftp://iam.example' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('ftp://iam.example (IAM_BASE_URL) must be an http or https URL'),
  });
});

test('groups update takes a dependency by its id too, and prints its name', async () => {
  const run = (words: string) => runner.run(`groups update ${words}`, 'administrator');
  await runner.run('groups create --group-name lower', 'administrator');
  await runner.run('groups create --group-name upper', 'administrator');
  const id = JSON.parse((await runner.run('groups get lower -o json', 'administrator')).out).groupId;
  expect(await run(`upper --add-dependency lower --remove-dependency ${id}`)).toMatchObject({ code: 2 });
  expect(await run(`upper --add-dependency ${id}`)).toMatchObject({ code: 0, err: 'upper: + dependency lower\n' });
  expect(await run(`upper --remove-dependency ${id}`)).toMatchObject({ code: 0, err: 'upper: - dependency lower\n' });
  expect(await run(`upper --remove-dependency ${id}`)).toMatchObject({ err: 'upper: nothing to change\n' });
});

test('the masked number of a contact is kept, replaced as a whole, or refused with what is missing', async () => {
  const mobile = '--mobile.region-code 41 --mobile.area-code 79 --mobile.phone-number 7654321';
  const added = await runner.run(`users factors add alice --contact-type MOBILE ${mobile} -o json`, 'administrator');
  const [{ id }] = JSON.parse(added.out) as [{ id: string }];
  const file = JSON.parse((await runner.run(`users factors get alice ${id} -o json`, 'administrator')).out) as {
    readonly mobile: Readonly<Record<string, string>>;
  };
  const update = (parts: object) =>
    runner.run(`users factors update alice ${id} -f - --yes`, 'administrator', {
      stdin: JSON.stringify({ ...file, mobile: { ...file.mobile, ...parts } }),
    });
  expect(await update({})).toMatchObject({ code: 0, err: expect.stringContaining('nothing to change') });
  expect(await update({ phoneNumber: '1111111' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('mobile.areaCode of the file is masked: ***'),
  });
  const part = await runner.run(`users factors update alice ${id} --mobile.phone-number 1111111`, 'administrator');
  expect(part).toMatchObject({
    code: 2,
    err: expect.stringContaining('--mobile.region-code and --mobile.area-code'),
  });
  const changed = await update({ areaCode: '78', phoneNumber: 1_111_111 });
  expect(changed).toMatchObject({ code: 0, err: expect.not.stringContaining('regionCode') });
  const { factors } = (await runner.server.dump()) as { factors: readonly { factorId: string; mobile?: object }[] };
  const stored = factors.find(({ factorId }) => factorId === id)?.mobile;
  expect(stored).toEqual({ regionCode: 41, areaCode: 78, phoneNumber: 1_111_111 });
});
